"""Tables in OTSL, the notation in which PaddleOCR-VL answers `Table Recognition:`, as HTML.

OTSL (Lysak et al., "Optimized Table Tokenization for Table Structure Recognition", arXiv 2305.03393) has one
tag for each place of a grid, its text behind it: `<fcel>` a cell, `<ecel>` an empty one, `<lcel>` a place
that the cell on its left takes, `<ucel>` one that the cell above takes, `<xcel>` one inside a cell that spans
both ways; `<nl>` ends a row. `<ched>`, `<rhed>` and `<srow>` are cells that head columns, rows and sections
(docling-core's extension).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import median_low

from vlm_stage.postprocess.html_table import WHOLE_WIDTH, HtmlCell, Row, empty_cells, write_html
from vlm_stage.postprocess.markup import markup_to_text

_TAGS = ("fcel", "ecel", "lcel", "ucel", "xcel", "ched", "rhed", "srow", "nl")
_TAG = re.compile(rf"<({'|'.join(_TAGS)})\s?/?>")
_NO_TAG = re.compile(rf"</(?:{'|'.join(_TAGS)}|otsl)>|<otsl>")
_HEADERS = frozenset({"ched", "rhed", "srow"})
_ACROSS = frozenset({"lcel", "xcel"})
_DOWN = frozenset({"ucel", "xcel"})
_SPANNED = _ACROSS | _DOWN


@dataclass(frozen=True, slots=True)
class _Place:
    tag: str
    text: str

    @property
    def is_spanned(self) -> bool:
        return self.tag in _SPANNED


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a cell begins and how far it goes, in places of the grid."""

    column: int
    cell: HtmlCell


def otsl_to_html(source: str) -> str | None:
    """The table, rectangular and well-formed wherever the source was cut; None if there is no cell in it.

    Spans that do not fit together are read as far as they do; a place that belongs to no cell is an empty
    cell. Text outside all cells is a row of its own. No text is left out.
    """
    rows = _rows(_without_cut_tag(_NO_TAG.sub("", source)))
    if not any(isinstance(row, list) for row in rows):
        return None
    width = _width([row for row in rows if isinstance(row, list)])
    return write_html(_without_idle_columns(_placed(rows, width), width))


def _without_cut_tag(source: str) -> str:
    """The source without the start of a tag that it ends in; only text that was cut has one."""
    start = source.rfind("<")
    end = source[start + 1 :]
    is_cut = any(f"{tag}/".startswith(end) or f"/{tag}".startswith(end) for tag in _TAGS)
    return source[:start] if start >= 0 and is_cut else source


def _rows(source: str) -> list[list[_Place] | str]:
    """The places of each row; text that stands in no cell is a string."""
    pieces = _TAG.split(source)
    rows: list[list[_Place] | str] = [pieces[0]] if pieces[0].strip() else []
    row: list[_Place] = []
    for tag, behind in zip(pieces[1::2], pieces[2::2], strict=True):
        text = markup_to_text(behind).strip()
        if tag != "nl":
            row.append(_Place("fcel" if text and tag not in _HEADERS else tag, text))
            continue
        rows += [row] if row else []
        rows += [text] if text else []
        row = []
    return [*rows, row] if row else rows


def _width(rows: Sequence[Sequence[_Place]]) -> int:
    """The columns that most rows have, or more where there is text in them.

    A row that is much too long is one in which the model went on writing empty cells.
    """
    written = (index + 1 for row in rows for index, place in enumerate(row) if place.text)
    return max(median_low(len(row) for row in rows), max(written, default=1))


def _placed(rows: Sequence[Sequence[_Place] | str], width: int) -> list[list[_Origin]]:
    """For each row, the cells that begin in it."""
    grid = [row[:width] if isinstance(row, list) else [] for row in rows]
    taken = [bytearray(len(row)) for row in grid]
    placed: list[list[_Origin]] = []
    for index, row in enumerate(rows):
        if isinstance(row, str):
            placed.append([_Origin(0, HtmlCell(row, column_span=WHOLE_WIDTH))])
            continue
        placed.append([*_origins(grid, taken, index), *_missing(len(grid[index]), width)])
    return placed


def _missing(start: int, width: int) -> Iterator[_Origin]:
    return (_Origin(start + index, cell) for index, cell in enumerate(empty_cells(width - start)))


def _origins(grid: Sequence[Sequence[_Place]], taken: Sequence[bytearray], row: int) -> Iterator[_Origin]:
    for column, place in enumerate(grid[row]):
        if taken[row][column]:
            continue
        across = _across(grid[row], taken[row], column)
        down = _down(grid, row, range(column, column + across))
        for line in taken[row : row + down]:
            line[column : column + across] = b"\1" * across
        yield _Origin(column, HtmlCell(place.text, down, across, place.tag in _HEADERS))


def _across(row: Sequence[_Place], taken: bytearray, column: int) -> int:
    end = column + 1
    while end < len(row) and row[end].tag in _ACROSS and not taken[end]:
        end += 1
    return end - column


def _down(grid: Sequence[Sequence[_Place]], row: int, columns: range) -> int:
    """How many rows a cell takes: those below in which its first place is spanned from above.

    The rest of its places must be spanned too, which way does not matter: models mix these tags up.
    """
    end = row + 1
    while end < len(grid) and len(grid[end]) >= columns.stop:
        places = grid[end][columns.start : columns.stop]
        if places[0].tag not in _DOWN or not all(place.is_spanned for place in places):
            break
        end += 1
    return end - row


def _without_idle_columns(rows: Sequence[Sequence[_Origin]], width: int) -> list[Row]:
    """The cells, spans counted in columns in which some cell begins: the others are nothing to look at."""
    begins = bytearray(width)
    for row in rows:
        for origin in row:
            begins[origin.column] = 1
    before = [0, *accumulate(begins)]
    return [[_narrowed(origin, before) for origin in row] for row in rows]


def _narrowed(origin: _Origin, before: Sequence[int]) -> HtmlCell:
    cell, start = origin.cell, origin.column
    end = min(start + cell.column_span, len(before) - 1)
    return HtmlCell(cell.text, cell.row_span, before[end] - before[start], cell.is_header)
