"""Tables: cells with spans, drawn with a full grid, with three lines, or with no lines at all."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from arcscribe.types import Box, RegionKind
from samples.render.fonts import points
from samples.render.sheet import BLACK, Sheet, Style
from samples.render.truth import Rows, TruthBlock
from samples.render.typeset import break_lines

CELL_SIDE = 5.0
"""Points of white left and right of the text of a cell."""


class Rules(Enum):
    """Which lines a table has."""

    GRID = "grid"
    THREE_LINES = "three lines"
    ROWS = "rows"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell whose upper left corner is at (row, column)."""

    row: int
    column: int
    text: str
    rowspan: int = 1
    colspan: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """Cells, the columns' widths in pixels, and each column's alignment below the first row."""

    cells: tuple[Cell, ...]
    widths: tuple[float, ...]
    aligns: tuple[str, ...]
    rules: Rules
    style: Style
    head: Style
    head_rows: int = 1
    padding: float = 5.0
    """Points of white above and below the text of a cell."""


def cells_of(rows: Rows) -> tuple[Cell, ...]:
    return tuple(Cell(r, c, text) for r, row in enumerate(rows) for c, text in enumerate(row))


def to_html(cells: Sequence[Cell]) -> str:
    """The table as HTML, with spans where they are more than one."""
    rows: list[list[str]] = [[] for _ in range(1 + max(cell.row for cell in cells))]
    for cell in sorted(cells, key=lambda c: (c.row, c.column)):
        spans = (("rowspan", cell.rowspan), ("colspan", cell.colspan))
        attributes = "".join(f' {name}="{span}"' for name, span in spans if span > 1)
        rows[cell.row].append(f"<td{attributes}>{html.escape(cell.text)}</td>")
    return "<table>" + "".join(f"<tr>{''.join(row)}</tr>" for row in rows) + "</table>"


def edges(table: Table, left: float, top: float) -> tuple[list[float], list[float]]:
    """The x of the columns' edges and the y of the rows', each one more than there are columns or rows."""
    xs = [left]
    for width in table.widths:
        xs.append(xs[-1] + width)
    heights = [table.style.line_height + 2 * points(table.padding)] * (1 + max(c.row for c in table.cells))
    for cell in table.cells:
        if cell.rowspan == 1:
            heights[cell.row] = max(heights[cell.row], text_height(table, cell) + 2 * points(table.padding))
    ys = [top]
    for height in heights:
        ys.append(ys[-1] + round(height))
    return xs, ys


def inner_width(table: Table, cell: Cell) -> float:
    return sum(table.widths[cell.column : cell.column + cell.colspan]) - 2 * points(CELL_SIDE)


def text_height(table: Table, cell: Cell) -> float:
    lines = break_lines(cell.text, table.style.font, inner_width(table, cell), justify=False)
    return max(1, len(lines)) * table.style.line_height


def draw_table(sheet: Sheet, table: Table, left: float, top: float) -> float:
    """Draws a table and records its truth; returns the y just below it."""
    xs, ys = edges(table, left, top)
    for cell in table.cells:
        draw_cell(sheet, table, cell, xs, ys)
        if table.rules is Rules.GRID:
            corners = (
                xs[cell.column],
                ys[cell.row],
                xs[cell.column + cell.colspan],
                ys[cell.row + cell.rowspan],
            )
            sheet.draw.rectangle(corners, outline=BLACK, width=2)
    if table.rules is Rules.THREE_LINES:
        for y, thickness in ((ys[0], 4), (ys[1], 2), (ys[-1], 4)):
            sheet.rule(xs[0], xs[-1], y, thickness)
    if table.rules is Rules.ROWS:
        for y in ys:
            sheet.rule(xs[0], xs[-1], y)
    rows = plain_rows(table.cells)
    box = Box(xs[0], ys[0], xs[-1], ys[-1])
    sheet.blocks.append(TruthBlock(RegionKind.TABLE, box, rows=rows, html=to_html(table.cells)))
    return ys[-1]


def draw_cell(sheet: Sheet, table: Table, cell: Cell, xs: list[float], ys: list[float]) -> None:
    if not cell.text:
        return
    style = table.head if cell.row < table.head_rows else table.style
    centred = cell.row < table.head_rows and table.rules is Rules.GRID
    align = "center" if centred or cell.colspan > 1 else table.aligns[cell.column]
    style = Style(style.face, style.size, style.leading, align=align)
    height = ys[cell.row + cell.rowspan] - ys[cell.row]
    start = ys[cell.row] + (height - text_height(table, cell)) / 2
    inset = points(CELL_SIDE)
    sheet.lines(cell.text, style, xs[cell.column] + inset, xs[cell.column + cell.colspan] - inset, start)


def plain_rows(cells: Sequence[Cell]) -> Rows:
    """The rows of a table without spans; empty for a table with any."""
    if any(cell.rowspan > 1 or cell.colspan > 1 for cell in cells):
        return ()
    count = 1 + max(cell.row for cell in cells)
    return tuple(tuple(c.text for c in cells if c.row == row) for row in range(count))
