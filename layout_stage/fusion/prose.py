"""Telling running text from the short pieces of tables and pictures, by shape alone."""

from collections.abc import Sequence

from arcscribe.types import Box, TextLine
from layout_stage.parts import characters, length, overlap, share_row, thickness

_MIN_CHARACTERS = 7.0
_SAME_SIZE = 1.35
_LONG_CHARACTERS = 12.0
_MAX_LEADING = 1.1
_TIGHT_LEADING = 0.35
"""Between lines of a few words, which may as well be cells of a column."""
_SAME_EXTENT = 0.7


def prose_lines(lines: Sequence[TextLine], rules: Sequence[Box]) -> frozenset[TextLine]:
    """The lines that are part of running text.

    A line runs on where it holds some words and the line before or after it has its size, its extent and a normal
    distance from it, with no rule between. Lines far apart that have short ones beside them are cells in rows.

    Args:
        lines: the page's lines.
        rules: its horizontal ruling lines.
    """
    long = [line for line in lines if characters(line) >= _MIN_CHARACTERS]
    short = [line.box for line in lines if characters(line) < _MIN_CHARACTERS and not line.vertical]
    in_rows = {line for line in long if any(share_row(line.box, box, 0.6) for box in short)}
    found: set[TextLine] = set()
    for i, line in enumerate(long):
        for other in long[i + 1 :]:
            cells = line in in_rows and other in in_rows
            leading = _TIGHT_LEADING if cells else _MAX_LEADING
            if _run_on(line, other, leading) and not _is_ruled(line.box, other.box, rules):
                found.update((line, other))
    return frozenset(found)


def prose_share(lines: Sequence[TextLine], prose: frozenset[TextLine]) -> float:
    """How much of the text, 0 to 1 by length, is running text; 0 without lines."""
    whole = sum(map(length, lines))
    return sum(length(line) for line in lines if line in prose) / whole if whole else 0.0


def _is_ruled(a: Box, b: Box, rules: Sequence[Box]) -> bool:
    """Whether a rule runs between two lines."""
    top, bottom = sorted((a.center[1], b.center[1]))
    whole = a.union(b)
    return any(
        top < rule.center[1] < bottom
        and overlap(rule.left, rule.right, whole.left, whole.right) > 0.7 * whole.width
        for rule in rules
    )


def _run_on(a: TextLine, b: TextLine, leading: float) -> bool:
    """Whether two lines may follow each other in a text whose lines are at most so many heights apart."""
    if a.vertical != b.vertical:
        return False
    small, large = sorted((thickness(a), thickness(b)))
    if large > _SAME_SIZE * small:
        return False
    along_a, along_b = _along(a), _along(b)
    gap = -overlap(*_across(a), *_across(b))
    long = max(characters(a), characters(b)) >= _LONG_CHARACTERS
    if not -0.5 * small < gap <= (leading if long else _TIGHT_LEADING) * large:
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
