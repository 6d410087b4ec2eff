"""Boxes seen along one axis: intervals, what they have in common, and the white between them."""

from collections.abc import Callable, Iterable
from math import hypot
from typing import TypeVar

from arcscribe.types import Box
from layout_stage.parts import overlap

Interval = tuple[float, float]
T = TypeVar("T")

_LEAST_GAP = 1.0
"""Pixels of white that part two boxes."""


def across(box: Box) -> Interval:
    """From left to right; at least a pixel wide, so that no box is without a place."""
    return box.left, max(box.right, box.left + 1)


def down(box: Box) -> Interval:
    """From top to bottom; at least a pixel high."""
    return box.top, max(box.bottom, box.top + 1)


def common(a: Interval, b: Interval) -> float:
    """The length that two intervals have in common; 0 where they are apart."""
    return max(0.0, overlap(*a, *b))


def covered(a: Interval, b: Interval) -> float:
    """What two intervals have in common, as a share of the shorter one."""
    return common(a, b) / max(1e-9, min(a[1] - a[0], b[1] - b[0]))


def covered_area(a: Box, b: Box) -> float:
    """What two boxes have in common, as a share of the smaller one."""
    smaller = min((x[1] - x[0]) * (y[1] - y[0]) for x, y in ((across(a), down(a)), (across(b), down(b))))
    return common(across(a), across(b)) * common(down(a), down(b)) / max(1e-9, smaller)


def distance(a: Box, b: Box) -> float:
    """The white between two boxes: across plus down, 0 where they overlap."""
    return gap(across(a), across(b)) + gap(down(a), down(b))


def gap(a: Interval, b: Interval) -> float:
    """The white between two intervals; 0 where they overlap."""
    return max(0.0, -overlap(*a, *b))


def from_corner(box: Box, corner: Box) -> float:
    """How far a box's first corner is from that of another."""
    return hypot(box.left - corner.left, box.top - corner.top)


def parted(items: Iterable[T], place: Callable[[T], Interval]) -> list[list[T]]:
    """Sets of items with white between each set and the next, in the order of the axis.

    Within a set, items come in the order of where they start.
    """
    sets: list[list[T]] = []
    reach = float("-inf")
    for item in sorted(items, key=lambda item: place(item)[0]):
        start, end = place(item)
        if not sets or start - reach >= _LEAST_GAP:
            sets.append([])
        sets[-1].append(item)
        reach = max(reach, end)
    return sets
