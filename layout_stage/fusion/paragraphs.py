"""Where the paragraphs of a column end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from arcscribe.types import Box, TextLine

_EXTRA_LEADING = 0.45
_WINDOW = 4
_WHITE = 0.3
"""The least white, in heights of a line, that parts it from the one before, however large its type."""
_INDENT = 0.7
_SHORT = 2.0
_CENTRED = 0.3
"""How far, in ems, the middles of centred lines lie apart; an indent of one em moves a middle by half."""
_OTHER_SIZE = 1.22
_LARGER = 1.5
"""For lines that both fill the column, whose size superscripts and formulas disturb."""
_HEADING_LINES = 3


@dataclass(frozen=True, slots=True)
class Style:
    """What a line is to the network and to the eye."""

    label: str
    bold: bool
    size: float
    """From the top of its ink to the bottom, in pixels; it depends on which letters the line has."""
    thickness: float
    """Of its box, in pixels; superscripts make it more."""

    def times(self, ink: float, box: float) -> float:
        """How many times larger its type is than one with those measures; the one that says less counts."""
        ratios = (self.size / max(1.0, ink), self.thickness / max(1.0, box))
        if min(ratios) > 1:
            return min(ratios)
        return max(ratios) if max(ratios) < 1 else 1.0


@dataclass(frozen=True, slots=True)
class Edges:
    """Where the lines of a column begin and end, and what that says of its paragraphs."""

    left: float
    right: float
    em: float
    hanging: bool
    """Whether paragraphs begin further out than they go on, as in lists of references."""
    justified: bool

    @classmethod
    def of(cls, boxes: Sequence[Box]) -> "Edges":
        """The edges of a column's lines."""
        em = median(box.height for box in boxes)
        lefts = sorted(box.left for box in boxes)
        left, right = lefts[0], max(box.right for box in boxes)
        near = _INDENT * em
        inner = [x for x in lefts if x - left >= near]
        full = sum(1 for box in boxes if right - box.right < near)
        hanging = len(boxes) >= 3 and len(inner) > 0.5 * len(boxes) and inner[-1] - inner[0] < 2 * near
        return cls(left, right, em, hanging, full >= 0.6 * len(boxes))

    def begins(self, before: Box, box: Box) -> bool:
        """Whether a paragraph begins: by its indent, its outdent in a list, or the short line before it."""
        near = _INDENT * self.em
        indent = box.left - self.left
        if abs(before.center[0] - box.center[0]) < _CENTRED * self.em:
            return False
        if self.hanging:
            return indent < near
        if indent >= near and before.left - self.left < near:
            return True
        return self.justified and self.is_short(before, _SHORT)

    def either_is_short(self, before: Box, box: Box) -> bool:
        """Whether one of two lines does not fill the column."""
        return any(self.is_short(b, 1.0) or b.left - self.left > 2 * self.em for b in (before, box))

    def is_short(self, box: Box, ems: float) -> bool:
        """Whether a line ends that many ems or more before the column does."""
        return self.right - box.right > ems * self.em


def split_paragraphs(
    column: Sequence[TextLine], boxes: Sequence[Box], styles: Mapping[TextLine, Style]
) -> list[tuple[TextLine, ...]]:
    """A column's lines as paragraphs.

    Args:
        column: lines from top to bottom.
        boxes: the box of each, turned if the text is vertical.
        styles: how each looks.
    """
    edges = Edges.of(boxes)
    # From bottom to bottom, since a superscript makes a line's box higher and not lower.
    steps = [b.bottom - a.bottom for a, b in pairwise(boxes)]
    spaced = [
        False,
        *(
            step > _usual(steps, i) + _EXTRA_LEADING * edges.em
            and step > (1 + _WHITE) * styles[column[i + 1]].thickness
            for i, step in enumerate(steps)
        ),
    ]
    own = [styles[line] for line in column]
    cuts = _heading_cuts(own, boxes, spaced, edges)
    paragraphs: list[list[TextLine]] = [[column[0]]]
    for i in range(1, len(column)):
        ends = (
            spaced[i]
            or i in cuts
            or own[i].label != own[i - 1].label
            or _differ(
                own[i], own[i - 1], _OTHER_SIZE if edges.either_is_short(boxes[i - 1], boxes[i]) else _LARGER
            )
            or edges.begins(boxes[i - 1], boxes[i])
        )
        if ends:
            paragraphs.append([])
        paragraphs[-1].append(column[i])
    return [tuple(paragraph) for paragraph in paragraphs]


def _usual(steps: Sequence[float], i: int) -> float:
    """The usual step between lines near one: the lower third, since wide steps end paragraphs."""
    near = sorted(steps[max(0, i - _WINDOW) : i + _WINDOW + 1])
    return near[(len(near) - 1) // 3]


def _differ(a: Style, b: Style, least: float) -> bool:
    """Whether the type of one line is at least so many times as large as that of another."""
    return not 1 / least < a.times(b.size, b.thickness) < least


def _heading_cuts(
    styles: Sequence[Style], boxes: Sequence[Box], spaced: Sequence[bool], edges: Edges
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
        ends = end == len(styles) or spaced[end] or edges.is_short(boxes[end - 1], _SHORT)
        if styles[start].bold and end - start <= _HEADING_LINES and begins and ends:
            cuts |= {start, end}
        start = end
    return frozenset(cuts)
