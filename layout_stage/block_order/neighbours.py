"""What stands before and after an item in its own column, nearest first."""

from collections.abc import Callable, Iterable

from arcscribe.types import Box
from layout_stage.block_order.intervals import Interval, across, covered, down
from layout_stage.block_order.items import Item

_SAME_COLUMN = 0.1
"""Of the narrower one's width, that two items of a column have in common
(paddlex `child_block_overlap_ratio_threshold`)."""


def above_and_below(item: Item, others: Iterable[Item]) -> tuple[list[Item], list[Item]]:
    """The others of its column that start above an item or with it, and those that start below."""
    return _before_and_after(item, others, across, down)


def left_and_right(item: Item, others: Iterable[Item]) -> tuple[list[Item], list[Item]]:
    """The others of its row that start left of an item or with it, and those that start right of it."""
    return _before_and_after(item, others, down, across)


def _before_and_after(
    item: Item,
    others: Iterable[Item],
    lane: Callable[[Box], Interval],
    way: Callable[[Box], Interval],
) -> tuple[list[Item], list[Item]]:
    own = lane(item.box)
    near = [other for other in others if covered(own, lane(other.box)) > _SAME_COLUMN]
    start = way(item.box)[0]
    before = [other for other in near if way(other.box)[0] <= start]
    after = [other for other in near if way(other.box)[0] > start]
    before.sort(key=lambda other: way(other.box)[0], reverse=True)
    after.sort(key=lambda other: way(other.box)[0])
    return before, after
