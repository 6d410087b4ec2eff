"""Read lines put into rows (or columns, where text is vertical), in the order in which they are read."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from arcscribe.types import Point
from vlm_stage.postprocess.scripts import ends_spaceless, starts_spaceless
from vlm_stage.reading import ReadLine

_SAME_ROW = 0.5  # of the thinner line's height, between the two lines' middles where they face each other
_MAX_OVERLAP = 0.3  # of the shorter line's length, along the row


@dataclass(frozen=True, slots=True)
class Row:
    """Text in one row. `start` and `end` are along the row, `position` and `thickness` across, all in pixels.

    For a column `start` and `end` are y, and `position` is -x, so that it grows in reading order either way.
    """

    text: str
    start: float
    end: float
    position: float
    thickness: float


@dataclass(frozen=True, slots=True)
class _Span:
    """A line in the direction of reading: the middles of its two ends, and how thick it is."""

    first: Point
    last: Point
    thickness: float
    text: str

    @property
    def position(self) -> float:
        return (self.first[1] + self.last[1]) / 2


def rows_of(lines: Sequence[ReadLine]) -> list[Row]:
    """The rows from top to bottom; or, where most text is vertical, the columns from right to left."""
    vertical = _is_vertical(lines)
    spans = sorted((_span(line, vertical) for line in lines if line.text), key=lambda span: span.position)
    rows: list[list[_Span]] = []
    for span in spans:
        home = next((row for row in reversed(rows) if _belongs(span, row)), None)
        if home is None:
            rows.append([span])
        else:
            home.append(span)
    return sorted((_row(row) for row in rows), key=lambda row: row.position)


def _is_vertical(lines: Sequence[ReadLine]) -> bool:
    return sum(len(line.text) if line.line.vertical else -len(line.text) for line in lines) > 0


def _span(line: ReadLine, vertical: bool) -> _Span:
    top_left, top_right, bottom_right, bottom_left = line.line.polygon
    if vertical:
        (x0, y0), (x1, y1) = _middle(top_left, top_right), _middle(bottom_left, bottom_right)
        thickness = (math.dist(top_left, top_right) + math.dist(bottom_left, bottom_right)) / 2
        return _Span((y0, -x0), (y1, -x1), thickness, line.text)
    thickness = (math.dist(top_left, bottom_left) + math.dist(top_right, bottom_right)) / 2
    return _Span(_middle(top_left, bottom_left), _middle(top_right, bottom_right), thickness, line.text)


def _middle(a: Point, b: Point) -> Point:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def _belongs(span: _Span, row: Sequence[_Span]) -> bool:
    nearest = min(row, key=lambda other: max(span.first[0] - other.last[0], other.first[0] - span.last[0]))
    left, right = sorted((span, nearest), key=lambda item: item.first[0])
    apart = abs(left.last[1] - right.first[1])
    lengths = [item.last[0] - item.first[0] for item in (left, right)]
    overlap = min(left.last[0], right.last[0]) - right.first[0]
    return apart < _SAME_ROW * min(span.thickness, nearest.thickness) and overlap <= _MAX_OVERLAP * max(
        0.0, min(lengths)
    )


def _row(spans: Sequence[_Span]) -> Row:
    ordered = sorted(spans, key=lambda span: span.first[0])
    text = ordered[0].text
    for before, after in pairwise(ordered):
        text += _separator(before, after) + after.text
    return Row(
        text,
        min(span.first[0] for span in ordered),
        max(span.last[0] for span in ordered),
        float(median(span.position for span in ordered)),
        float(median(span.thickness for span in ordered)),
    )


def _separator(before: _Span, after: _Span) -> str:
    """A space, but none between two pieces of one spaceless text that the detector cut."""
    gap = after.first[0] - before.last[0]
    touching = gap < min(before.thickness, after.thickness)
    return "" if touching and ends_spaceless(before.text) and starts_spaceless(after.text) else " "
