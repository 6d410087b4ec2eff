"""The rows of text in a part: how many, how high, how long."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from arcscribe.types import Box, TextLine, enclosing_box
from layout_stage.block_order.intervals import covered, down
from layout_stage.parts import turned

_SAME_ROW = 0.6
"""Of the lower one's height, that two pieces of a row have in common (paddlex
`line_height_iou_threshold`)."""
_PITCH = 1.4
"""From one row to the next, in heights of a row, where lines are not known."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The lines of a part, pieces that stand beside each other counted as one; all in the reading frame."""

    count: int
    height: float
    """Of a row on average, in pixels; 0 of what holds no text."""


NO_ROWS = Rows(1, 0.0)
"""Those of a picture."""


def framed(box: Box, vertical: bool) -> Box:
    """A box of the page in the reading frame of text that runs down, or across."""
    return turned(box) if vertical else box


def rows_of(lines: Sequence[TextLine], vertical: bool) -> Rows:
    """The rows that lines, of which there is at least one, make when they are read in a direction."""
    rows: list[Box] = []
    for box in sorted((framed(line.box, vertical) for line in lines), key=lambda box: box.top):
        if rows and covered(down(rows[-1]), down(box)) >= _SAME_ROW:
            rows[-1] = enclosing_box((rows[-1], box))
        else:
            rows.append(box)
    return Rows(len(rows), fmean(row.height for row in rows))


def guessed_rows(box: Box, height: float) -> Rows:
    """The rows of a text of which no lines are known.

    Args:
        box: in the reading frame.
        height: of the rows of other texts, in pixels.
    """
    return Rows(max(1, int(box.height // (_PITCH * height))), min(height, box.height))
