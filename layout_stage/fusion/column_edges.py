"""Where the lines of a column begin and end, and what that says of its paragraphs."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from arcscribe.types import Box

SHORT = 2.0
"""How many ems before the column a line ends that was meant to end; justified lines lack less."""
_INDENT = 0.7
"""The least indent, in ems; Latin paragraphs have one, Chinese ones two, and noise is less than half."""
_HANGING, _JUSTIFIED = 0.5, 0.6
"""The share of lines that begin further in where paragraphs hang, and that fill a justified column."""
_CENTRED = 0.3
"""How far, in ems, the middles of centred lines lie apart; an indent of one em moves a middle by half."""


@dataclass(frozen=True, slots=True)
class ColumnEdges:
    """Where the lines of a column begin and end, and what that says of its paragraphs."""

    left: float
    right: float
    em: float
    """The height of the column's lines, in pixels."""
    hanging: bool
    """Whether paragraphs begin further out than they go on, as in lists of references."""
    justified: bool
    """Whether most lines end where the column does."""

    @classmethod
    def of(cls, boxes: Sequence[Box]) -> "ColumnEdges":
        """The edges of a column's lines."""
        em = median(box.height for box in boxes)
        lefts = sorted(box.left for box in boxes)
        left, right = lefts[0], max(box.right for box in boxes)
        near = _INDENT * em
        inner = [x for x in lefts if x - left >= near]
        full = sum(1 for box in boxes if right - box.right < near)
        hanging = len(boxes) >= 3 and len(inner) > _HANGING * len(boxes) and inner[-1] - inner[0] < 2 * near
        return cls(left, right, em, hanging, full >= _JUSTIFIED * len(boxes))

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
        return self.justified and self.is_short(before, SHORT)

    def either_is_short(self, before: Box, box: Box) -> bool:
        """Whether one of two lines does not fill the column."""
        return any(self.is_short(b, 1.0) or b.left - self.left > 2 * self.em for b in (before, box))

    def is_short(self, box: Box, ems: float) -> bool:
        """Whether a line ends that many ems or more before the column does."""
        return self.right - box.right > ems * self.em
