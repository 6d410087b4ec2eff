"""The values inside the layout stage: what a page is put together from before it becomes regions."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from arcscribe.types import Box, Point, Region, RegionKind, TextLine, enclosing_box

SIDE_NOTE_CHARACTERS = 5.0
"""The most square characters in a note beside the text, such as a reference to a line or page."""
_HALO = 0.15
"""Of a line's height, by which the detector's boxes are wider than the ink."""


@dataclass(frozen=True, slots=True)
class Part:
    """A region in the making: everything but its place in the reading order."""

    kind: RegionKind
    label: str
    """The layout model's name for it, or empty where the model saw nothing."""
    score: float
    box: Box
    lines: tuple[TextLine, ...]
    polygon: tuple[Point, ...]
    """Its corners; those of the box unless the page was scanned at a tilt."""

    @classmethod
    def of(cls, kind: RegionKind, label: str, score: float, box: Box, lines: Iterable[TextLine]) -> "Part":
        """A part that lies straight."""
        return cls(kind, label, score, box, tuple(lines), box.to_polygon())


@dataclass(frozen=True, slots=True)
class PageSize:
    """Width and height of the upright page, in pixels."""

    width: int
    height: int


def thickness(line: TextLine) -> float:
    """How tall a line's characters stand, in pixels: its polygon's side across the direction of reading."""
    a, b, _, d = line.polygon
    return math.dist(a, b) if line.vertical else math.dist(a, d)


def length(line: TextLine) -> float:
    """How far a line runs in the direction of reading, in pixels."""
    a, b, _, d = line.polygon
    return math.dist(a, d) if line.vertical else math.dist(a, b)


def characters(line: TextLine) -> float:
    """About how many square characters a line holds; Latin text has twice as many letters."""
    return length(line) / max(1.0, thickness(line))


def typical_thickness(lines: Sequence[TextLine], default: float = 20.0) -> float:
    """The thickness of the line in the middle of the page's text, counted by length: that of the body."""
    total, half = 0.0, sum(map(length, lines)) / 2
    for line in sorted(lines, key=thickness):
        total += length(line)
        if total >= half:
            return max(1.0, thickness(line))
    return default


def ink_box(line: TextLine) -> Box:
    """A line's box without the halo round its ink that the detector leaves."""
    return line.box.expanded(-_HALO * min(line.box.width, line.box.height))


def turned(box: Box) -> Box:
    """A box after the turn that makes columns, read from right to left, lines read from top to bottom."""
    return Box(box.top, -box.right, box.bottom, -box.left)


def runs_down(lines: Sequence[TextLine]) -> bool:
    """Whether more than half of the text, by length, runs from top to bottom."""
    return 2 * sum(length(line) for line in lines if line.vertical) > sum(map(length, lines))


def middle(values: Iterable[float], default: float) -> float:
    """The median, or a default where there are no values."""
    items = list(values)
    return median(items) if items else default


def overlap(low_a: float, high_a: float, low_b: float, high_b: float) -> float:
    """How much two intervals have in common; negative: how far they are apart."""
    return min(high_a, high_b) - max(low_a, low_b)


def share_row(a: Box, b: Box, share: float = 0.5) -> bool:
    """Whether two boxes stand beside each other: that share of the lower one's height, or more, in common."""
    common = overlap(a.top, a.bottom, b.top, b.bottom)
    return common >= share * max(1.0, min(a.height, b.height))


def box_of(lines: Iterable[TextLine]) -> Box:
    """The smallest box that holds the lines.

    Raises:
        ValueError: there are no lines.
    """
    return enclosing_box(line.box for line in lines)


def to_regions(parts: Sequence[Part], size: PageSize) -> tuple[Region, ...]:
    """Parts in reading order as regions, numbered from 0, their boxes within the page."""
    regions = []
    for number, part in enumerate(parts):
        box = part.box.clipped(size.width, size.height)
        polygon = tuple(
            (min(max(x, 0.0), float(size.width)), min(max(y, 0.0), float(size.height)))
            for x, y in part.polygon
        )
        regions.append(Region(number, part.kind, part.label, part.score, box, polygon, part.lines))
    return tuple(regions)
