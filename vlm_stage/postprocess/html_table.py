"""Rows of cells, whatever notation they were read from, as one HTML table."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate, repeat

from vlm_stage.postprocess.characters import legal_text
from vlm_stage.postprocess.latex import normalize_delimiters

MAX_SPAN = 1000
"""The most columns that a cell may span, as in the HTML standard."""

WHOLE_WIDTH = MAX_SPAN + 1
"""A column span that stands for all columns of the table; more than a span may be."""

_MAX_EMPTY_CELLS = 16  # at the end of a row; more are one, so that a long row makes no others long


@dataclass(frozen=True, slots=True)
class HtmlCell:
    """A cell; line breaks in its text are `\\n`, and formulas stand between delimiters."""

    text: str
    row_span: int = 1
    column_span: int = 1
    is_header: bool = False


Row = Sequence[HtmlCell]


def write_html(rows: Sequence[Row]) -> str:
    r"""One well-formed `<table>` on one line, of `tr`, `td`, `th`, `rowspan`, `colspan` and `br` only.

    Rows in which no cell begins are left out, and what spans them is one row shorter. A column span that no
    table has, 0 or more than `MAX_SPAN`, is all columns; a row span ends with the table, and before a row
    that is one cell as wide as the table.
    """
    width = max((sum(cell.column_span for cell in row if _is_sane(cell)) for row in rows), default=1)
    before = [0, *accumulate(1 if row else 0 for row in rows)]
    lines: list[str] = []
    end = len(rows)
    for index in range(len(rows) - 1, -1, -1):
        spanned = (before[min(index + max(1, cell.row_span), end)] - before[index] for cell in rows[index])
        cells = map(_cell, rows[index], spanned, repeat(max(1, width)))
        lines.append(f"<tr>{''.join(cells)}</tr>" if rows[index] else "")
        end = index if _is_one_wide_cell(rows[index]) else end
    return f"<table>{''.join(reversed(lines))}</table>"


def empty_cells(count: int) -> list[HtmlCell]:
    """As many empty cells; one that spans them where they are very many."""
    if count > _MAX_EMPTY_CELLS:
        return [HtmlCell("", column_span=count)]
    return [HtmlCell("")] * count


def _is_sane(cell: HtmlCell) -> bool:
    return 0 < cell.column_span <= MAX_SPAN


def _is_one_wide_cell(row: Row) -> bool:
    return len(row) == 1 and not _is_sane(row[0])


def _cell(cell: HtmlCell, rows: int, width: int) -> str:
    columns = cell.column_span if _is_sane(cell) else min(width, MAX_SPAN)
    tag = "th" if cell.is_header else "td"
    row_span = f' rowspan="{rows}"' if rows > 1 else ""
    column_span = f' colspan="{columns}"' if columns > 1 else ""
    return f"<{tag}{row_span}{column_span}>{_content(cell.text)}</{tag}>"


def _content(text: str) -> str:
    lines = (line.strip() for line in normalize_delimiters(legal_text(text)).split("\n"))
    return "<br>".join(escape(line, quote=False) for line in lines if line)
