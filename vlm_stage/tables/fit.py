"""How badly a structure explains the text that stands in a table."""

from collections.abc import Sequence
from itertools import pairwise

from arcscribe.types import Box
from vlm_stage.tables.fill import assign
from vlm_stage.tables.structure import Cell, Structure
from vlm_stage.tables.text_rows import text_rows

_INSIDE = 0.7  # of a box lies in the cell that it belongs to
_APART = 0.6  # text heights between two texts that one cell does not hold side by side
_EMPTY = 0.1  # what an empty place of the grid weighs, against a text that does not fit
_STACKED = 0.6  # of a row's cells hold several rows of text where rows were missed


def misfit(structure: Structure, boxes: Sequence[Box], text_height: float) -> float:
    """The share of texts and bands that do not fit, 0 best.

    Counted are texts across the edge of their cell; texts side by side in one cell, as where a column was
    missed; rows of text stacked in most cells of a row, as where rows were missed; empty rows and columns, as
    where some were invented; and, for little, empty cells.
    """
    if not boxes:
        return 0.0
    cells: dict[Cell, list[Box]] = {}
    for cell, box in zip(assign(structure, boxes), boxes, strict=True):
        cells.setdefault(cell, []).append(box)
    crossing = sum(_crosses(box, structure.box(cell)) for cell, inside in cells.items() for box in inside)
    crowded = sum(_side_by_side(inside, _APART * text_height) for inside in cells.values())
    wrong = crossing + crowded + _stacked(structure, cells)
    bands = structure.row_count + structure.column_count
    empty = 1 - len(cells) / len(structure.cells)
    return wrong / len(boxes) + _empty_bands(structure, cells) / bands + _EMPTY * empty


def _crosses(box: Box, area: Box) -> bool:
    return box.coverage_by(area) < _INSIDE


def _side_by_side(boxes: Sequence[Box], apart: float) -> int:
    pairs = (pair for row in text_rows(boxes) for pair in pairwise(row))
    return sum(after.left - before.right > apart for before, after in pairs)


def _stacked(structure: Structure, cells: dict[Cell, list[Box]]) -> int:
    """How many texts stand below another, in rows most of whose cells hold several."""
    count = 0
    for row in range(structure.row_count):
        heights = [
            len(text_rows(inside)) for cell, inside in cells.items() if cell.rows == range(row, row + 1)
        ]
        several = [height for height in heights if height > 1]
        if len(several) > 1 and len(several) >= _STACKED * len(heights):
            count += sum(height - 1 for height in several)
    return count


def _empty_bands(structure: Structure, cells: dict[Cell, list[Box]]) -> int:
    rows = {row for cell in cells for row in cell.rows}
    columns = {column for cell in cells for column in cell.columns}
    return structure.row_count - len(rows) + structure.column_count - len(columns)
