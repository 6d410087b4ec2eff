"""What belongs to a picture, table or chart: captions, notes of a line, and texts that it holds.

All items are in the reading frame. Thresholds are those of paddlex 3.7.2 (`update_vision_child_blocks`).
"""

from collections.abc import Sequence

from arcscribe.types import RegionKind
from layout_stage.block_order.intervals import covered_area, distance
from layout_stage.block_order.items import Item
from layout_stage.block_order.neighbours import above_and_below, left_and_right
from layout_stage.block_order.roles import Role

_NEAR = 2.0
"""Rows of white between a picture and its caption or note, at most."""
_CENTRED = 10.0
"""Pixels by which a note in the middle may be off, and by which a note may start before its picture."""
_SHORT = 0.5
"""The share of its picture's width that a note of several rows has at most."""
_INSIDE = 0.9
"""Of a text lies in a picture that holds it."""
_PLAIN = frozenset({RegionKind.TEXT, RegionKind.VERTICAL_TEXT})


def belongings(vision: Item, others: Sequence[Item]) -> list[Item]:
    """The captions and texts that go with a picture.

    They are looked for above and below it, and beside it only where no caption was found; on each side as far
    as the first text. A caption goes with the nearest picture. Of texts at most one is a note.

    Args:
        vision: a picture, table or chart.
        others: what else there is, other pictures among it.
    """
    rivals = [other for other in others if other.role is Role.VISION]
    others = [
        other
        for other in others
        if other.role is Role.TEXT or (other.role is Role.CAPTION and _is_nearest(vision, other, rivals))
    ]
    found: list[Item] = []
    for sides in (above_and_below(vision, others), left_and_right(vision, others)):
        for side in sides:
            found.extend(_of_side(vision, side, with_note=not any(map(_is_note, found))))
        if any(item.role is Role.CAPTION for item in found):
            break
    inside = [
        text
        for text in others
        if text.role is Role.TEXT and text not in found and covered_area(text.box, vision.box) > _INSIDE
    ]
    return [*found, *inside]


def _is_nearest(vision: Item, caption: Item, rivals: Sequence[Item]) -> bool:
    white = distance(vision.box, caption.box)
    return white <= _NEAR * caption.rows.height and all(
        white <= distance(rival.box, caption.box) for rival in rivals
    )


def _is_note(item: Item) -> bool:
    return item.kind in _PLAIN


def _of_side(vision: Item, side: Sequence[Item], *, with_note: bool) -> list[Item]:
    found: list[Item] = []
    for other in side:
        near = distance(vision.box, other.box) <= _NEAR * other.rows.height
        if other.role is Role.CAPTION:
            found += [other] if near else []
        elif other.kind in _PLAIN:
            return [*found, other] if near and with_note and _looks_like_a_note(other, vision) else found
        else:
            return found
    return found


def _looks_like_a_note(text: Item, vision: Item) -> bool:
    if text.vertical != vision.vertical or text.box.width >= vision.box.width:
        return False
    is_small = text.box.height < vision.box.height and text.box.width < _SHORT * vision.box.width
    if is_small and abs(text.box.center[0] - vision.box.center[0]) < _CENTRED:
        return True
    return text.rows.count == 1 and text.box.left > vision.box.left - _CENTRED
