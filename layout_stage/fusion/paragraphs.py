"""Where the paragraphs of a column end."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from arcscribe.types import Box, TextLine
from layout_stage.fusion.column_edges import SHORT, ColumnEdges
from layout_stage.fusion.style import Style

_EXTRA_LEADING = 0.45
"""What a step between lines exceeds the usual one by, in ems, where a paragraph ends."""
_WINDOW = 4
"""How many steps up and down say what is usual."""
_WHITE = 0.3
"""The least white, in heights of a line, that parts it from the one before, however large its type."""
_OTHER_SIZE, _LARGER = 1.22, 1.5
"""How many times larger the type of another paragraph is; the second for lines that both fill the column,
whose size superscripts and formulas disturb."""
_HEADING_LINES = 3


def split_paragraphs(
    column: Sequence[TextLine], boxes: Sequence[Box], styles: Mapping[TextLine, Style]
) -> list[tuple[TextLine, ...]]:
    """A column's lines as paragraphs.

    Args:
        column: lines from top to bottom.
        boxes: the box of each, turned if the text is vertical.
        styles: how each looks.
    """
    edges = ColumnEdges.of(boxes)
    own = [styles[line] for line in column]
    spaced = _spaced(own, boxes, edges.em)
    cuts = _heading_cuts(own, boxes, spaced, edges)
    paragraphs: list[list[TextLine]] = [[column[0]]]
    for i in range(1, len(column)):
        least = _OTHER_SIZE if edges.either_is_short(boxes[i - 1], boxes[i]) else _LARGER
        if (
            spaced[i]
            or i in cuts
            or own[i].label != own[i - 1].label
            or _differ(own[i], own[i - 1], least)
            or edges.begins(boxes[i - 1], boxes[i])
        ):
            paragraphs.append([])
        paragraphs[-1].append(column[i])
    return [tuple(paragraph) for paragraph in paragraphs]


def _spaced(styles: Sequence[Style], boxes: Sequence[Box], em: float) -> list[bool]:
    """Which lines stand further below the one before them than lines of a paragraph do."""
    # From bottom to bottom, since a superscript makes a line's box higher and not lower.
    steps = [b.bottom - a.bottom for a, b in pairwise(boxes)]
    return [
        False,
        *(
            step > _usual(steps, i) + _EXTRA_LEADING * em and step > (1 + _WHITE) * styles[i + 1].thickness
            for i, step in enumerate(steps)
        ),
    ]


def _usual(steps: Sequence[float], i: int) -> float:
    """The usual step between lines near one: the lower third, since wide steps end paragraphs."""
    near = sorted(steps[max(0, i - _WINDOW) : i + _WINDOW + 1])
    return near[(len(near) - 1) // 3]


def _differ(a: Style, b: Style, least: float) -> bool:
    """Whether the type of one line is at least so many times as large as that of another."""
    return not 1 / least < a.times(b.size, b.thickness) < least


def _heading_cuts(
    styles: Sequence[Style], boxes: Sequence[Box], spaced: Sequence[bool], edges: ColumnEdges
) -> frozenset[int]:
    """Before which lines a bold heading begins or ends.

    Bold lines are a heading where they are few, come after a line that ends early or after some space, and
    end early or before some space themselves; other bold lines are words that happen to fill a line.
    """
    cuts: set[int] = set()
    start = 0
    while start < len(styles):
        end = start + 1
        while end < len(styles) and styles[end].bold == styles[start].bold:
            end += 1
        begins = start == 0 or spaced[start] or edges.is_short(boxes[start - 1], 1.0)
        ends = end == len(styles) or spaced[end] or edges.is_short(boxes[end - 1], SHORT)
        if styles[start].bold and end - start <= _HEADING_LINES and begins and ends:
            cuts |= {start, end}
        start = end
    return frozenset(cuts)
