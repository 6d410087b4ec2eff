"""Text lines as the detector gives them, made into the lines a reader sees."""

from collections.abc import Sequence

import numpy as np

from arcscribe.types import Box, Point, TextLine
from layout_stage.box_arrays import sides
from layout_stage.gutters import GUTTER_ROWS, BoxField, Interval
from layout_stage.ink import Ink
from layout_stage.parts import SIDE_NOTE_CHARACTERS, characters, thickness

_INSIDE = 0.85
"""Of a line's box lies in that of another one of which it is a part."""
_LONG_CHARACTERS = 6.0
"""The least square characters of a line that may run across a gutter."""
_LETTER = 0.5
"""Of a line's height: the least white in it that may be a gutter, wider than a space between words."""


def without_nested(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """The lines without those inside another: the detector sometimes finds a word of a line twice."""
    ordered = sorted(lines, key=lambda item: -item.box.area)
    if not ordered:
        return ()
    left, top, right, bottom = sides(item.box for item in ordered).T
    width = np.minimum.outer(right, right) - np.maximum.outer(left, left)
    height = np.minimum.outer(bottom, bottom) - np.maximum.outer(top, top)
    area = np.maximum(1e-6, (right - left) * (bottom - top))
    inside = np.maximum(0, width) * np.maximum(0, height) >= _INSIDE * area
    kept: list[int] = []
    for i in range(len(ordered)):
        if not inside[kept, i].any():
            kept.append(i)
    return tuple(sorted((ordered[i] for i in kept), key=lambda item: (item.box.top, item.box.left)))


def split_at_gutters(lines: Sequence[TextLine], ink: Ink) -> tuple[TextLine, ...]:
    """Lines cut where the detector ran across a gutter between columns, or on into a note in the margin.

    A white gap in a line's ink is a gutter where the lines above and below leave it white too, over some rows
    and with text on both sides; and the way to a side note where the lines above and below end there.
    """
    field = BoxField([line.box for line in lines])
    pieces: list[TextLine] = []
    for line in lines:
        rest = line
        for gap in _white_gaps(line, ink):
            if _is_between_columns(gap, line, field):
                first, rest = _cut(rest, gap)
                pieces.append(first)
        pieces.append(rest)
    return tuple(sorted(pieces, key=lambda item: (item.box.top, item.box.left)))


def _white_gaps(line: TextLine, ink: Ink) -> list[Interval]:
    """The intervals of x, as wide as a letter or more, in which a horizontal line has no ink; in order."""
    if line.vertical or characters(line) < _LONG_CHARACTERS:
        return []
    inked = np.flatnonzero(ink.part(line.box).any(axis=0)) / ink.scale + max(0.0, line.box.left)
    steps = np.diff(inked)
    wide = np.flatnonzero(steps >= _LETTER * thickness(line))
    return [(float(inked[i]) + 1, float(inked[i + 1])) for i in wide]


def _is_between_columns(gap: Interval, line: TextLine, field: BoxField) -> bool:
    size, row = thickness(line), line.box
    after = (row.right - gap[1]) / size
    if after <= SIDE_NOTE_CHARACTERS and field.ends_at(gap[0], row, size):
        return True
    above = field.strip(gap, Box(row.left, row.top - 1, row.right, row.top), size)
    below = field.strip(gap, Box(row.left, row.bottom, row.right, row.bottom + 1), size)
    return above.height > GUTTER_ROWS / 2 * size and below.height > GUTTER_ROWS / 2 * size


def _cut(line: TextLine, gap: Interval) -> tuple[TextLine, TextLine]:
    """The pieces of a line before and after a gap."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = line.polygon

    def at(x: float) -> tuple[Point, Point]:
        upper, lower = (x - x0) / (x1 - x0), (x - x3) / (x2 - x3)
        return (x, y0 + upper * (y1 - y0)), (x, y3 + lower * (y2 - y3))

    (before_up, before_low), (after_up, after_low) = at(gap[0]), at(gap[1])
    left = (line.polygon[0], before_up, before_low, line.polygon[3])
    right = (after_up, line.polygon[1], line.polygon[2], after_low)
    first = TextLine(Box(line.box.left, line.box.top, gap[0], line.box.bottom), left, line.score)
    return first, TextLine(Box(gap[1], line.box.top, line.box.right, line.box.bottom), right, line.score)
