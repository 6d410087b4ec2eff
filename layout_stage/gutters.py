"""Gutters: upright strips of white with text on both sides, which part the columns of a page."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box
from layout_stage.box_arrays import sides

Interval = tuple[float, float]

GUTTER_ROWS = 2.4
"""Over how many rows a gap goes on that is a gutter; one of two rows may be by chance."""
_NARROWEST = 0.25
"""In ems: where less white is left of a gap, it ends."""


class BoxField:
    """The boxes of a page's lines, asked for the strips of white between them."""

    def __init__(self, boxes: Sequence[Box], walls: Sequence[Box] = ()) -> None:
        """Walls, such as ruling lines, end a strip as text does, but are no text beside it."""
        self._sides = sides(boxes)
        self._walls = sides([*boxes, *walls])

    def strip(self, gap: Interval, row: Box, em: float) -> Box:
        """How far a gap in a row goes on up and down between text on its left and text on its right.

        Lines that reach into the gap narrow it; it ends where less than a quarter of an em is left of it.

        Args:
            gap: the interval of x that is white.
            row: the box of the row, or rows, in which it is.
            em: the height of the page's text.

        Returns:
            the strip, at least as high as the row, and as wide as its white is at its upper and its lower
            end.
        """
        _, top, _, bottom = self._walls.T
        middle = (top + bottom) / 2
        ceiling, upper = self._limit(gap, np.flatnonzero(middle < row.top)[::-1], em, up=True)
        floor, lower = self._limit(gap, np.flatnonzero(middle > row.bottom), em, up=False)
        return Box(
            min(upper[0], lower[0]),
            min(row.top, self._both_sides(ceiling, row.top, upper, up=True)),
            max(upper[1], lower[1]),
            max(row.bottom, self._both_sides(row.bottom, floor, lower, up=False)),
        )

    def _limit(
        self, gap: Interval, indexes: NDArray[np.intp], em: float, *, up: bool
    ) -> tuple[float, Interval]:
        """Where a gap ends, up or down, and the first of the intervals that are left of it there."""
        left, top, right, bottom = self._walls.T
        reached = indexes[(left[indexes] < gap[1]) & (right[indexes] > gap[0])]
        white = [gap]
        for i in reached[np.argsort(-bottom[reached] if up else top[reached])]:
            rests = [
                rest
                for low, high in white
                for rest in ((low, min(high, float(left[i]))), (max(low, float(right[i])), high))
                if rest[1] - rest[0] >= _NARROWEST * em
            ]
            if not rests:
                return float(bottom[i] if up else top[i]), white[0]
            white = rests
        return (float("-inf") if up else float("inf")), white[0]

    def _both_sides(self, top_limit: float, bottom_limit: float, gap: Interval, *, up: bool) -> float:
        """How far up, or down, there is text on both sides of a gap between two limits."""
        left, top, right, bottom = self._sides.T
        between = (top >= top_limit - 1) & (bottom <= bottom_limit + 1)
        before, after = between & (right <= gap[0] + 1), between & (left >= gap[1] - 1)
        if not before.any() or not after.any():
            return bottom_limit if up else top_limit
        if up:
            return float(max(top[before].min(), top[after].min()))
        return float(min(bottom[before].max(), bottom[after].max()))

    def ends_at(self, x: float, row: Box, em: float) -> bool:
        """Whether the lines right above and right below a row end at x, and none of them goes on beyond."""
        left, top, right, bottom = self._sides.T
        reach = row.height
        above = (bottom > row.top - reach) & ((top + bottom) / 2 < row.top)
        below = (top < row.bottom + reach) & ((top + bottom) / 2 > row.bottom)
        in_column = (left < x - 2 * em) & (right > row.left + em)
        ends = in_column & (np.abs(right - x) <= 0.7 * em)
        goes_on = (above | below) & (right > x + 0.7 * em) & (left < row.right)
        return bool((ends & above).any() and (ends & below).any() and not goes_on.any())

    def beside(self, strip: Box, reach: float) -> NDArray[np.bool_]:
        """Which boxes stand at a strip's left or right, no further than that from it."""
        left, top, right, bottom = self._sides.T
        middle = (top + bottom) / 2
        level = (middle >= strip.top) & (middle <= strip.bottom)
        near = ((right <= strip.right) & (right >= strip.left - reach)) | (
            (left >= strip.left) & (left <= strip.right + reach)
        )
        return np.asarray(level & near, np.bool_)


def free_intervals(boxes: Sequence[Box], least: float) -> list[Interval]:
    """The intervals of x, at least so wide, that lie between boxes and meet none of them."""
    free: list[Interval] = []
    reach: float | None = None
    for box in sorted(boxes, key=lambda b: b.left):
        if reach is not None and box.left - reach >= least:
            free.append((reach, box.left))
        reach = box.right if reach is None else max(reach, box.right)
    return free
