"""Putting what reaches over columns back among what has been ordered.

An item goes next to the one that it stands nearest to, where white on one side counts little: a table or
heading that spans columns belongs to the text above it, a title to the text below it.
The weights are those of paddlex 3.7.2 (`weighted_distance_insert`).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box, RegionKind
from layout_stage.block_order.intervals import across, covered, down
from layout_stage.block_order.items import Item
from layout_stage.block_order.roles import Role

_WEIGHTS, _TITLE_WEIGHTS = (1.0, 0.1, 1.0), (0.1, 1.0, 0.1)
"""What a pixel of white counts left of an item, above it and below it; little where it belongs."""
_WHITE, _TOP, _LEFT = 1e4, 1.0, 1e-4
"""What a pixel counts: of white between the two, of how far up the other starts, of how far left it does."""
_SAME_TOP = 2.0
"""Pixels by which tops may differ that count as the same."""
_BESIDE = 0.5
"""Of the lower one's height, and less of the narrower one's width, that two have in common in one row."""
_PARAGRAPH_EDGE = 10.0
"""Pixels by which a line may end before the edge of its column and still be full."""

Distances = NDArray[np.float64]


def insert(item: Item, ordered: Sequence[Item]) -> list[Item]:
    """What is ordered, with one item more."""
    if not ordered:
        return [item]
    is_reference = item.kind is RegionKind.REFERENCE
    place = _place_of_reference(item, ordered) if is_reference else _place(item, ordered)
    return [*ordered[:place], item, *ordered[place:]]


def _place_of_reference(item: Item, ordered: Sequence[Item]) -> int:
    """After the one furthest right, then furthest down, of those above: there the list goes on."""
    above = [k for k, other in enumerate(ordered) if other.box.bottom <= item.box.top]
    return 1 + max(above, key=lambda k: 10 * ordered[k].box.right + ordered[k].box.bottom, default=-1)


def _place(item: Item, ordered: Sequence[Item]) -> int:
    boxes = np.array([(o.box.left, o.box.top, o.box.right, o.box.bottom) for o in ordered], np.float64)
    nearest = int(np.argmin(_costs(item, boxes)))
    is_after = _starts_after(item.box, ordered[nearest].box)
    place = nearest + 1 if is_after else nearest
    if item.role in (Role.VISION, Role.CAPTION) and 0 < place < len(ordered):
        return place + _detour(ordered[place - 1], ordered[place], is_after=is_after)
    return place


def _costs(item: Item, boxes: Distances) -> Distances:
    """How far each box is from an item; shape (n,)."""
    box, (left, top, right, bottom) = item.box, boxes.T
    side, above, below = _TITLE_WEIGHTS if item.role is Role.TITLE else _WEIGHTS
    right_gap, left_gap = np.maximum(0, left - box.right), np.maximum(0, box.left - right)
    lower_gap, upper_gap = np.maximum(0, top - box.bottom), np.maximum(0, box.top - bottom)
    white = right_gap + left_gap * side + lower_gap * below + upper_gap * above
    is_above = bottom < box.top
    height = np.where(is_above, -top, top)
    indent = np.where(is_above, -left, left)
    highest = np.concatenate(([np.inf], np.minimum.accumulate(height)[:-1]))
    height = np.where(np.abs(highest - height) <= _SAME_TOP, highest, height)
    costs: Distances = _WHITE * white + _TOP * height + _LEFT * indent
    return costs


def _starts_after(box: Box, other: Box) -> bool:
    is_beside = covered(down(box), down(other)) > _BESIDE > covered(across(box), across(other))
    if is_beside or abs(box.top - other.top) < _SAME_TOP:
        return box.left > other.left
    return box.top > other.top


def _detour(before: Item, after: Item, *, is_after: bool) -> int:
    """One place on, or back, where a picture would otherwise tear a paragraph apart."""
    if not _runs_on(before, after):
        return 0
    return 1 if is_after else -1


def _runs_on(before: Item, after: Item) -> bool:
    """Whether a text fills its last row to the edge, and the next one starts without an indent."""
    a, b = before.box, after.box
    left, right = b.left, a.right
    if b.left < a.right and b.right > a.left:
        left, right = min(a.left, b.left), max(a.right, b.right)
    elif abs(b.left - a.right) >= max(a.width, b.width):
        return False
    return (
        before.rows.count > 1
        and abs(right - before.rows.end) < _PARAGRAPH_EDGE
        and after.rows.start - left < _PARAGRAPH_EDGE
    )
