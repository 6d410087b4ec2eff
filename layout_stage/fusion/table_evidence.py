"""What a page offers to find tables by."""

from dataclasses import dataclass

from arcscribe.types import Box, TextLine
from layout_stage.cdla_boxes import LayoutBox
from layout_stage.ruling_lines import Grid, Rules

TABLE_LABEL = "table"
_INSIDE = 0.6
_UNSEEN_SCORE = 0.5
"""Of a table that the network does not see: as good as a doubtful one that it does."""


@dataclass(frozen=True, slots=True)
class TableEvidence:
    """What a page offers to find tables by."""

    lines: tuple[TextLine, ...]
    prose: frozenset[TextLine]
    boxes: tuple[LayoutBox, ...]
    rules: Rules
    grids: tuple[Grid, ...]
    seals: tuple[Box, ...]
    em: float
    """The height of the page's text, in pixels."""


def is_inside(line: TextLine, box: Box) -> bool:
    """Whether most of a line lies in a box."""
    return line.box.coverage_by(box) >= _INSIDE


def table_score(box: Box, evidence: TableEvidence) -> float:
    """The score of the best table that the network sees round most of a box."""
    return max(
        (b.score for b in evidence.boxes if b.label == TABLE_LABEL and box.coverage_by(b.box) > 0.5),
        default=_UNSEEN_SCORE,
    )
