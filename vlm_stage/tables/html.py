"""A table as HTML."""

from collections.abc import Mapping
from html import escape

from vlm_stage.tables.structure import Cell, Structure


def to_html(structure: Structure, texts: Mapping[Cell, str]) -> str:
    r"""One well-formed `<table>` on one line; `\n` in a text is `<br>`. Cells without a text are empty."""
    rows: list[str] = []
    for row in range(structure.row_count):
        cells = (cell for cell in structure.cells if cell.row == row)
        rows.append("".join(_cell(cell, texts.get(cell, "")) for cell in cells))
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


def _cell(cell: Cell, text: str) -> str:
    row_span = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    column_span = f' colspan="{cell.column_span}"' if cell.column_span > 1 else ""
    lines = escape(text, quote=False).replace("\n", "<br>")
    return f"<td{row_span}{column_span}>{lines}</td>"
