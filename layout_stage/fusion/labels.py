"""Which of the layout network's boxes speaks for a text line."""

from collections.abc import Sequence

from arcscribe.types import TextLine
from layout_stage.cdla_boxes import LayoutBox
from layout_stage.parts import ink_box

_COVERED = 0.55
"""Of a line, without its halo, lies in the box that speaks for it."""
_OBJECTS = frozenset({"figure", "table", "equation"})
_MIN_SCORE = 0.4


class LineLabels:
    """The network's word for each line: the label of the best box that holds it, or an empty one."""

    def __init__(self, lines: Sequence[TextLine], boxes: Sequence[LayoutBox]) -> None:
        texts = [b for b in boxes if b.label not in _OBJECTS and b.score >= _MIN_SCORE]
        self._found = {line: _best(line, texts) for line in lines}

    def label(self, line: TextLine) -> str:
        """The best box's label; empty without one."""
        found = self._found.get(line)
        return found.label if found else ""

    def score(self, line: TextLine) -> float:
        """The best box's score; 0 without one."""
        found = self._found.get(line)
        return found.score if found else 0.0


def _best(line: TextLine, boxes: Sequence[LayoutBox]) -> LayoutBox | None:
    core = ink_box(line)
    holding = [b for b in boxes if core.coverage_by(b.box) >= _COVERED]
    return max(holding, key=lambda b: b.score, default=None)
