"""White columns that part a table's text where no rules do."""

from collections.abc import Sequence

from arcscribe.types import TextLine
from vlm_stage.tables.rules import InkMask, Rule, Rules
from vlm_stage.tables.split_lines import inked_parts
from vlm_stage.tables.text_rows import column_gaps, text_rows
from vlm_stage.tables.tilt import straighten

_BETWEEN_CHARACTERS = 0.15  # of a box's height: less white does not part
_MIN_GAP = 0.32  # of a text's height: wider than a space between words
_MIN_ROWS = 4  # fewer rows may share a white column by chance
_CROSSING = 0.1  # of the rows may have ink across


def white_columns(lines: Sequence[TextLine], ink: InkMask, text_height: float) -> list[Rule]:
    """The middles of white columns as high as the image, as rules; for tables that are not far from level.

    It is ink that counts, not the lines' boxes: those reach into the gap, or over it.
    """
    parts = [part for line in lines for part in inked_parts(line, ink, _BETWEEN_CHARACTERS)]
    rows = text_rows(straighten(parts, Rules((), ()), text_height).boxes)
    if len(rows) < _MIN_ROWS:
        return []
    return [Rule(0, ink.shape[0], x, 0.0) for x in column_gaps(rows, _MIN_GAP * text_height, _CROSSING)]
