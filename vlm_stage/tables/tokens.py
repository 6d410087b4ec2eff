"""From the tokens that a structure model writes to a grid of cells."""

import re
from collections.abc import Sequence

from vlm_stage.tables.structure import Cell

_SPAN = re.compile(r'(row|col)span="(\d+)"')


def cells_of_tokens(tokens: Sequence[str]) -> list[Cell]:
    """The cells of HTML tokens (`<tr>`, `<td></td>`, `<td`, ` colspan="2"`, `>`, ...) in the order they open.

    Places are those of HTML: a cell stands in the first place of its row that no span from above takes.
    """
    cells: list[Cell] = []
    taken: set[tuple[int, int]] = set()
    row, column = -1, 0
    for index, token in enumerate(tokens):
        if token == "<tr>":
            row, column = row + 1, 0
        elif token.startswith("<td"):
            row = max(row, 0)
            while (row, column) in taken:
                column += 1
            cell = Cell(row, column, *_spans(tokens[index + 1 : index + 4]) if token == "<td" else (1, 1))
            taken.update((r, c) for r in cell.rows for c in cell.columns)
            cells.append(cell)
            column += cell.column_span
    return cells


def _spans(tokens: Sequence[str]) -> tuple[int, int]:
    """Row and column span from the tokens between `<td` and `>`."""
    spans = {"row": 1, "col": 1}
    for token in tokens:
        if token == ">":
            break
        if match := _SPAN.search(token):
            spans[match[1]] = max(1, int(match[2]))
    return spans["row"], spans["col"]
