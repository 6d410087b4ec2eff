"""What no column holds: items that reach over several columns, or over each other.

They are taken out before the rest is cut into columns, and put back by `insertion`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from layout_stage.block_order.items import Item
from layout_stage.block_order.roles import Role

_COLUMN = 10.0
"""Rows of a text's own height that it is longer than where it is a column (paddlex)."""
_OVERLAP = 0.1
"""Intersection over union of two items that cannot be cut apart (paddlex)."""

Matrix = NDArray[np.float32]
Mask = NDArray[np.bool_]


def spanning(items: Sequence[Item]) -> set[int]:
    """The places in the sequence of items that reach over others; titles of the document are left alone.

    Of two that overlap, the picture steps out, else the smaller one. Of others, what lies over two columns
    beside each other does: a picture over any two items, a text over two columns of text.
    """
    order = sorted(range(len(items)), key=lambda k: (items[k].box.left, items[k].box.width))
    order = [k for k in order if items[k].role is not Role.TITLE]
    if len(order) < 2:
        return set()
    page = _Places([items[k] for k in order])
    for k in range(len(order)):
        if page.inside[k]:
            page.resolve_overlaps(k)
        if page.inside[k] and page.spans_columns(k):
            page.inside[k] = False
    return {order[k] for k in np.flatnonzero(~page.inside)}


class _Places:
    """How all items of a slice lie to each other, and which are still inside of the columns."""

    def __init__(self, items: Sequence[Item]) -> None:
        edges = np.array([(i.box.left, i.box.top, i.box.right, i.box.bottom) for i in items], np.float32)
        width, height = (_common(edges[:, side], edges[:, side + 2]) for side in (0, 1))
        area = (edges[:, 2] - edges[:, 0]) * (edges[:, 3] - edges[:, 1])
        both = width * height
        whole = area[:, None] + area[None, :] - both
        self._area = area
        self._iou = np.divide(both, whole, out=np.zeros_like(both), where=whole > 0)
        np.fill_diagonal(self._iou, 0)
        self._in_lane: Mask = width > 0
        np.fill_diagonal(self._in_lane, False)
        self._beside: Mask = (width <= 0) & (height > 0)
        self._is_vision = np.array([i.role is Role.VISION for i in items])
        self._is_column = np.array([_is_column(i) for i in items])
        self.inside: Mask = np.ones(len(items), np.bool_)

    def resolve_overlaps(self, k: int) -> None:
        """Takes an item out, or those that it overlaps."""
        for other in np.flatnonzero((self._iou[k] > 0) & self.inside):
            if self._is_vision[other]:
                self.inside[other] = False
            elif self._iou[k, other] > _OVERLAP and (self._is_vision[k] or self._area[k] < self._area[other]):
                self.inside[k] = False
                return

    def spans_columns(self, k: int) -> bool:
        """Whether two items that stand beside each other both stand above or below one."""
        lane = self._in_lane[k] & self.inside
        if not self._is_vision[k]:
            lane &= self._is_column
        places = np.flatnonzero(lane)
        return bool(self._beside[np.ix_(places, places)].any())


def _common(low: Matrix, high: Matrix) -> Matrix:
    """What each two of the intervals have in common; shape (n, n), 0 where they are apart."""
    shared: Matrix = np.minimum(high[:, None], high[None, :]) - np.maximum(low[:, None], low[None, :])
    return np.maximum(shared, 0, out=shared)


def _is_column(item: Item) -> bool:
    return item.role is Role.TEXT and item.length > _COLUMN * item.rows.height
