"""What belongs to a picture, table or chart: captions, the note below a table, and texts that it holds.

All items are in the reading frame. Thresholds are those of paddlex 3.7.2 (`update_vision_child_blocks`).
"""

from collections.abc import Sequence
from itertools import takewhile

from arcscribe.types import RegionKind
from layout_stage.block_order.intervals import covered_area, distance
from layout_stage.block_order.items import Item
from layout_stage.block_order.neighbours import above_and_below, left_and_right
from layout_stage.block_order.roles import Role

_NEAR = 2.0
"""Rows of white between a picture and its caption or note, at most."""
_BEFORE = 10.0
"""Pixels by which a note may start before its table."""
_INSIDE = 0.9
"""Of a text lies in a picture that holds it."""


def belongings(vision: Item, others: Sequence[Item]) -> list[Item]:
    """The captions and texts that go with a picture.

    They are looked for above and below it, and beside it only where no caption was found; on each side as far
    as the first text. A caption goes with the nearest picture, and a line right below a table with it.

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
            found.extend(_captions_of_side(vision, side))
        if found:
            break
    texts = [text for text in others if text.role is Role.TEXT]
    inside = [text for text in texts if covered_area(text.box, vision.box) > _INSIDE]
    return [*found, *inside, *_note_of(vision, [o for o in others if o not in found and o not in inside])]


def _note_of(vision: Item, others: Sequence[Item]) -> list[Item]:
    """The line of text that stands right below a table, within its width."""
    _, below = above_and_below(vision, others)
    return [
        text
        for text in below[:1]
        if vision.kind is RegionKind.TABLE
        and text.role is Role.TEXT
        and text.rows.count == 1
        and text.vertical == vision.vertical
        and text.box.left > vision.box.left - _BEFORE
        and text.box.width < vision.box.width
        and distance(vision.box, text.box) <= _NEAR * text.rows.height
    ]


def _is_nearest(vision: Item, caption: Item, rivals: Sequence[Item]) -> bool:
    white = distance(vision.box, caption.box)
    return white <= _NEAR * caption.rows.height and all(
        white <= distance(rival.box, caption.box) for rival in rivals
    )


def _captions_of_side(vision: Item, side: Sequence[Item]) -> list[Item]:
    """The captions that stand near on one side, as far as the first that is none."""
    found = takewhile(lambda other: other.role is Role.CAPTION, side)
    return [caption for caption in found if distance(vision.box, caption.box) <= _NEAR * caption.rows.height]
