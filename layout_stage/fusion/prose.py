"""Telling running text from the short pieces of tables and pictures, by shape alone."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box, TextLine
from layout_stage.parts import characters, length, thickness

_MIN_CHARACTERS, _LONG_CHARACTERS = 7.0, 12.0
"""The least square characters of a line that runs on, and of one that is no cell."""
_SAME_SIZE = 1.35
"""How many times higher than the other one of two lines that follow each other is, at most."""
_MAX_LEADING, _TIGHT_LEADING = 1.1, 0.35
"""White between lines, in heights of the higher one; the second between lines of a few words, which may as
well be cells of a column."""
_SAME_EXTENT = 0.7
"""Of what two lines take up together, that they have in common."""
_SAME_ROW = 0.6
"""Of the lower line's height, that lines in one row have in common."""
_RULED = 0.7
"""Of what two lines take up together, that a rule which parts them is wide."""


def prose_lines(lines: Sequence[TextLine], rules: Sequence[Box]) -> frozenset[TextLine]:
    """The lines that are part of running text.

    A line runs on where it holds some words and the line before or after it has its size, its extent and a
    normal distance from it, with no rule between. Lines far apart that have short ones beside them are cells
    in rows.

    Args:
        lines: the page's lines.
        rules: its horizontal ruling lines.
    """
    found: set[TextLine] = set()
    sides = np.array([(r.center[1], r.left, r.right) for r in rules], np.float64).reshape(-1, 3).T
    for vertical in (False, True):
        own = [line for line in lines if line.vertical == vertical]
        long = [line for line in own if characters(line) >= _MIN_CHARACTERS]
        if len(long) < 2:
            continue
        short = [line for line in own if characters(line) < _MIN_CHARACTERS]
        in_rows = _beside(long, short)
        for i, j in np.argwhere(np.triu(_follow(long, in_rows), 1)):
            if not _is_ruled(long[i].box, long[j].box, sides):
                found.update((long[i], long[j]))
    return frozenset(found)


def _beside(lines: Sequence[TextLine], others: Sequence[TextLine]) -> NDArray[np.bool_]:
    """Which lines have one of the others in their row."""
    if not others:
        return np.zeros(len(lines), bool)
    low, high, _, _ = np.array([_extents(line) for line in lines]).T
    other_low, other_high, _, _ = np.array([_extents(line) for line in others]).T
    common = np.minimum.outer(high, other_high) - np.maximum.outer(low, other_low)
    lower = np.minimum.outer(high - low, other_high - other_low)
    return np.asarray((common >= _SAME_ROW * lower).any(axis=1), np.bool_)


def _follow(lines: Sequence[TextLine], in_rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which lines, all of one direction, may follow which in a text; shape (lines, lines), symmetric."""
    low, high, start, end = np.array([_extents(line) for line in lines]).T
    size = np.array([thickness(line) for line in lines])
    small, large = np.minimum.outer(size, size), np.maximum.outer(size, size)
    long = np.array([characters(line) >= _LONG_CHARACTERS for line in lines])
    loose = np.logical_or.outer(long, long) & ~np.logical_and.outer(in_rows, in_rows)
    gap = np.maximum.outer(low, low) - np.minimum.outer(high, high)
    near = (gap > -0.5 * small) & (gap <= np.where(loose, _MAX_LEADING, _TIGHT_LEADING) * large)
    common = np.minimum.outer(end, end) - np.maximum.outer(start, start)
    whole = np.maximum.outer(end, end) - np.minimum.outer(start, start)
    alike = (large <= _SAME_SIZE * small) & (common >= _SAME_EXTENT * whole)
    return np.asarray(near & alike, np.bool_)


def _extents(line: TextLine) -> tuple[float, float, float, float]:
    """Where a line begins and ends across its direction of reading, and along it."""
    box = line.box
    if line.vertical:
        return box.left, box.right, box.top, box.bottom
    return box.top, box.bottom, box.left, box.right


def prose_share(lines: Sequence[TextLine], prose: frozenset[TextLine]) -> float:
    """How much of the text, 0 to 1 by length, is running text; 0 without lines."""
    whole = sum(map(length, lines))
    return sum(length(line) for line in lines if line in prose) / whole if whole else 0.0


def _is_ruled(a: Box, b: Box, rules: NDArray[np.float64]) -> bool:
    """Whether a rule, of which the middle height, left and right are known, runs between two lines."""
    top, bottom = sorted((a.center[1], b.center[1]))
    whole = a.union(b)
    height, left, right = rules
    common = np.minimum(right, whole.right) - np.maximum(left, whole.left)
    return bool(((top < height) & (height < bottom) & (common > _RULED * whole.width)).any())
