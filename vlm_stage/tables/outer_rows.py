"""Rows for text above and below a grid of rules, such as a caption that was cut out together with it."""

from collections.abc import Sequence
from dataclasses import replace

from arcscribe.types import Box
from vlm_stage.tables.structure import Cell, Structure, tiled
from vlm_stage.tables.text_rows import row_edges, text_rows


def with_outer_rows(structure: Structure, boxes: Sequence[Box]) -> Structure:
    """The structure with a row for each row of text beyond its first and last edge.

    A text that has such a row to itself gets a cell as wide as the table.
    """
    first, last = structure.row_edges[0], structure.row_edges[-1]
    above = text_rows([box for box in boxes if box.center[1] < first])
    below = text_rows([box for box in boxes if box.center[1] > last])
    if not above and not below:
        return structure
    before = row_edges(above)[:-1] if above else []
    after = row_edges(below)[1:] if below else []
    offset, columns = len(above), structure.column_count
    inner = (replace(cell, row=cell.row + offset) for cell in structure.cells)
    below_start = offset + structure.row_count
    outer = [*enumerate(above), *enumerate(below, below_start)]
    wide = (Cell(row, 0, 1, columns) for row, held in outer if len(held) == 1)
    edges = (*before, *structure.row_edges, *after)
    return Structure(edges, structure.column_edges, tiled(len(edges) - 1, columns, [*inner, *wide]))
