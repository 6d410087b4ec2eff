"""Charts that PaddleOCR-VL turned into tables: a line for each row, its cells parted by pipes, as HTML."""

import re
from collections.abc import Sequence

from vlm_stage.postprocess.html_table import WHOLE_WIDTH, HtmlCell, empty_cells, write_html
from vlm_stage.postprocess.markup import markup_to_text

_LINE_END = re.compile(r"<0x0[aA]>|\r\n?")
_WRITTEN_LINE_END = re.compile(r"\\n(?![A-Za-z])")
_MARK = re.compile(r"\\.|\|")
_RULE = re.compile(r":-+:?|-+:|-{2,}")


def chart_to_html(source: str) -> str | None:
    r"""The table, its first row the head; None unless two lines hold pipes, and some cell is left.

    Lines are parted by `\n`, or by that written out (`<0x0A>`, a byte's token). Pipes at both ends of all
    lines and rules below the head, as Markdown has them, mean nothing. A line without a pipe is a row of its
    own; a row that is too short ends in empty cells.
    """
    rows = [_cells(line) for line in _lines(source)]
    tables = [row for row in rows if len(row) > 1]
    if len(tables) < 2:
        return None
    if all(not row[0] for row in tables) and all(not row[-1] for row in tables):
        rows = [row[1:-1] if len(row) > 1 else row for row in rows]
    kept = [row for row in rows if not all(_RULE.fullmatch(cell) for cell in row)]
    return write_html(_html_rows(kept)) if kept else None


def _lines(source: str) -> list[str]:
    text = _LINE_END.sub("\n", source)
    if "\n" not in text.strip():
        text = _WRITTEN_LINE_END.sub("\n", text)
    return [line for line in text.split("\n") if line.strip()]


def _cells(line: str) -> list[str]:
    """The texts between the pipes of a line, but those inside formulas or behind a backslash."""
    cells, end = [], 0
    in_formula, last_close = False, line.rfind(r"\)")
    for found in _MARK.finditer(line):
        if found[0] in (r"\(", r"\)"):
            in_formula = found[0] == r"\(" and found.start() < last_close
        elif found[0] == "|" and not in_formula:
            cells.append(line[end : found.start()])
            end = found.end()
    cells.append(line[end:])
    return [markup_to_text(cell.replace(r"\|", "|")).strip() for cell in cells]


def _html_rows(rows: Sequence[Sequence[str]]) -> list[list[HtmlCell]]:
    width = max(map(len, rows))
    head = next(index for index, row in enumerate(rows) if len(row) > 1 or width == 1)
    return [_html_row(row, width, index <= head) for index, row in enumerate(rows)]


def _html_row(row: Sequence[str], width: int, is_header: bool) -> list[HtmlCell]:
    if len(row) == 1 and width > 1:
        return [HtmlCell(row[0], column_span=WHOLE_WIDTH, is_header=is_header)]
    return [*(HtmlCell(text, is_header=is_header) for text in row), *empty_cells(width - len(row))]
