"""Telling running text from the short pieces of tables and pictures, by shape alone."""

from collections.abc import Sequence

from arcscribe.types import Box, TextLine
from layout_stage.parts import characters, length, overlap, thickness

_MIN_CHARACTERS = 7.0
_SAME_SIZE = 1.35
_MAX_LEADING = 1.1
_SAME_EXTENT = 0.7


def prose_lines(lines: Sequence[TextLine]) -> frozenset[TextLine]:
    """The lines that are part of running text.

    A line runs on where it holds some words and the line before or after it has its size, its extent and a normal
    distance from it.
    """
    long = [line for line in lines if characters(line) >= _MIN_CHARACTERS]
    found: set[TextLine] = set()
    for i, line in enumerate(long):
        for other in long[i + 1 :]:
            if _run_on(line, other):
                found.update((line, other))
    return frozenset(found)


def prose_share(lines: Sequence[TextLine], prose: frozenset[TextLine]) -> float:
    """How much of the text, 0 to 1 by length, is running text; 0 without lines."""
    whole = sum(map(length, lines))
    return sum(length(line) for line in lines if line in prose) / whole if whole else 0.0


def _run_on(a: TextLine, b: TextLine) -> bool:
    if a.vertical != b.vertical:
        return False
    small, large = sorted((thickness(a), thickness(b)))
    if large > _SAME_SIZE * small:
        return False
    along_a, along_b = _along(a), _along(b)
    gap = -overlap(*_across(a), *_across(b))
    if not -0.5 * small < gap <= _MAX_LEADING * large:
        return False
    common = overlap(*along_a, *along_b)
    whole = max(along_a[1], along_b[1]) - min(along_a[0], along_b[0])
    return common >= _SAME_EXTENT * whole


def _along(line: TextLine) -> tuple[float, float]:
    box: Box = line.box
    return (box.top, box.bottom) if line.vertical else (box.left, box.right)


def _across(line: TextLine) -> tuple[float, float]:
    box: Box = line.box
    return (box.left, box.right) if line.vertical else (box.top, box.bottom)
