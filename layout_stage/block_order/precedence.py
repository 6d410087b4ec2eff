"""Breuel's order of boxes that no straight cut parts.

Breuel, "High Performance Document Layout Analysis", 2003: of two boxes in one column the upper one comes
first, and of two beside each other the left one, unless something between them reaches over both.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box
from layout_stage.box_arrays import sides

_MOST = 300
"""Boxes that are compared; more that no cut parts are no page's, and are read from the top."""

Matrix = NDArray[np.bool_]


def by_precedence(items: list[int], boxes: Mapping[int, Box]) -> list[int]:
    """Items in an order in which each comes after what stands above it in its column or wholly left of it."""
    rest = sorted(items, key=lambda i: (boxes[i].top, boxes[i].left))
    if len(rest) > _MOST:
        return rest
    precedes = _precedes([boxes[i] for i in rest])
    waiting = list(range(len(rest)))
    ordered: list[int] = []
    while waiting:
        held = precedes[np.ix_(waiting, waiting)].any(axis=0)
        chosen = waiting.pop(int(np.argmin(held)))
        ordered.append(rest[chosen])
    return ordered


def _precedes(boxes: list[Box]) -> Matrix:
    """Which box comes before which; shape (boxes, boxes)."""
    left, top, right, bottom = sides(boxes).T
    middle = (top + bottom) / 2
    in_column = np.minimum.outer(right, right) > np.maximum.outer(left, left)
    is_upper = np.less.outer(middle, middle)
    is_left = np.less_equal.outer(right, left) & ~in_column
    return np.asarray(in_column & is_upper | is_left & ~_barred(in_column, middle), np.bool_)


def _barred(in_column: Matrix, middle: NDArray[np.float64]) -> Matrix:
    """Between which two boxes, by height, stands one that reaches over both."""
    low, high = np.minimum.outer(middle, middle), np.maximum.outer(middle, middle)
    barred = np.zeros(low.shape, np.bool_)
    for reaches, height in zip(in_column, middle, strict=True):
        barred |= np.logical_and.outer(reaches, reaches) & (low < height) & (height < high)
    return barred
