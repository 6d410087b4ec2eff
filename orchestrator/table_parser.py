"""Tables from the HTML that an engine wrote: their cells and text, and nothing else of it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import accumulate

from orchestrator.escaping import clean
from orchestrator.tables import Cell, Table

_DECLARATION = re.compile("<(?=[!?])")  # no table has any, and html.parser raises for damaged ones
_NUMBER = re.compile(r"\s*\d{1,9}\s*", re.ASCII)
_MAX_SPAN = 1000  # of the HTML standard, for columns


def parse_table(source: str) -> Table | None:
    """The first table of some HTML, or None; a table inside a cell becomes text of that cell.

    Rows without a cell are left out, and the cells that span them are so much shorter.
    """
    parser = _TableParser()
    parser.feed(_DECLARATION.sub("&lt;", source))
    parser.close()
    rows = _without_empty_rows(parser.rows)
    return Table(rows) if rows else None


def _without_empty_rows(rows: Sequence[Sequence[Cell]]) -> tuple[tuple[Cell, ...], ...]:
    above = list(accumulate((not row for row in rows), initial=0))
    """How many empty rows there are above each row, and above the end."""

    def kept(cell: Cell, index: int) -> Cell:
        end = min(index + cell.row_span, len(rows))
        return replace(cell, row_span=cell.row_span - above[end] + above[index])

    return tuple(tuple(kept(cell, index) for cell in row) for index, row in enumerate(rows) if row)


class _TableParser(HTMLParser):
    """Collects the cells of the first table; marks inside cells are dropped, their text kept."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[Cell]] = []
        self._depth = 0
        self._done = False
        self._cell: Cell | None = None
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._depth += 1
        if self._done or self._depth != 1:
            return
        if tag == "tr":
            self._end_cell()
            self.rows.append([])
        elif tag in ("td", "th"):
            self._end_cell()
            given = dict(attributes)
            self._cell = Cell("", _span(given.get("rowspan")), _span(given.get("colspan")), tag == "th")
        elif tag in ("br", "p", "div", "li") and self._cell is not None:
            self._text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table") and self._depth == 1:
            self._end_cell()
        if tag == "table" and self._depth:
            self._depth -= 1
            self._done = self._done or self._depth == 0

    def handle_data(self, data: str) -> None:
        if self._cell is not None and not self._done:
            self._text.append(data.replace("\n", " "))

    def close(self) -> None:
        super().close()
        self._end_cell()

    def _end_cell(self) -> None:
        if self._cell is not None:
            if not self.rows:
                self.rows.append([])
            self.rows[-1].append(replace(self._cell, text=_lines("".join(self._text))))
        self._cell, self._text = None, []


def _lines(text: str) -> str:
    return "\n".join(line for line in clean(text).split("\n") if line)


def _span(value: str | None) -> int:
    return min(max(int(value), 1), _MAX_SPAN) if value and _NUMBER.fullmatch(value) else 1
