"""Tables, and how they are written: as HTML that holds nothing but a table, or as GFM."""

import re
from dataclasses import dataclass, replace

from orchestrator.escaping import escape_html, escape_inline

_BREAK_BESIDE_RUN = re.compile(r"(?<=[*_~])\n|\n(?=[*_~])")
"""Where emphasis could begin or end at the tag, as it cannot at a line break."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell; line breaks in its text are `\\n`."""

    text: str
    row_span: int = 1
    column_span: int = 1
    header: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, as in HTML: a cell that spans rows stands in the first of them only."""

    rows: tuple[tuple[Cell, ...], ...]

    @property
    def column_count(self) -> int:
        """How many columns the widest row takes, spans from the rows above included."""
        return max((len(row) for row in _occupied(self)), default=0)

    @property
    def has_spans(self) -> bool:
        return any(cell.row_span > 1 or cell.column_span > 1 for row in self.rows for cell in row)


def to_html(table: Table) -> str:
    """A table without anything that a cell's text could do to the page; a line for each row."""
    rows = ("".join(map(_html_cell, row)) for row in table.rows)
    return "\n".join(["<table>", *(f"<tr>{row}</tr>" for row in rows), "</table>"])


def to_gfm(table: Table) -> str:
    """A pipe table; the first row is the head, since GFM has none without.

    Raises:
        ValueError: the table has spans.
    """
    if table.has_spans:
        raise ValueError("GFM has no spans")
    width = table.column_count
    rows = [[_gfm_cell(cell) for cell in row] + [""] * (width - len(row)) for row in table.rows]
    lines = [rows[0], ["---"] * width, *rows[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def joined_tables(first: Table, second: Table) -> Table | None:
    """Two parts of a table as one, without the head that the second repeats; None if columns differ."""
    if first.column_count != second.column_count:
        return None
    repeated = 0
    for above, below in zip(first.rows, second.rows, strict=False):
        if _texts(above) != _texts(below):
            break
        repeated += 1
    if repeated == len(second.rows):
        repeated = 0  # rows that happen to be the same are not a head
    return Table(_within(first.rows) + second.rows[repeated:])


def _within(rows: tuple[tuple[Cell, ...], ...]) -> tuple[tuple[Cell, ...], ...]:
    """The rows, with no cell that reaches out of the last one."""
    return tuple(
        tuple(replace(cell, row_span=min(cell.row_span, len(rows) - index)) for cell in row)
        for index, row in enumerate(rows)
    )


def _texts(row: tuple[Cell, ...]) -> list[tuple[str, int]]:
    return [("".join(cell.text.split()), cell.column_span) for cell in row]


def _occupied(table: Table) -> list[list[bool]]:
    """For each row, which columns something stands in."""
    grid: list[list[bool]] = [[] for _ in table.rows]
    for index, row in enumerate(table.rows):
        column = 0
        for cell in row:
            while column < len(grid[index]) and grid[index][column]:
                column += 1
            for line in grid[index : index + cell.row_span]:
                line.extend([False] * (column + cell.column_span - len(line)))
                line[column : column + cell.column_span] = [True] * cell.column_span
            column += cell.column_span
    return grid


def _html_cell(cell: Cell) -> str:
    tag = "th" if cell.header else "td"
    rows = f' rowspan="{cell.row_span}"' if cell.row_span > 1 else ""
    columns = f' colspan="{cell.column_span}"' if cell.column_span > 1 else ""
    text = "<br>".join(map(escape_html, cell.text.split("\n")))
    return f"<{tag}{rows}{columns}>{text}</{tag}>"


def _gfm_cell(cell: Cell) -> str:
    text = escape_inline(cell.text).replace("|", "\\|")
    return _BREAK_BESIDE_RUN.sub(" <br> ", text).replace("\n", "<br>")
