"""A page with a table that has no rules at all and a ruled one whose cells span rows and columns."""

import msgspec

from arcscribe.types import RegionKind
from samples.render.fonts import Face, millimetres, points
from samples.render.sheet import A4_WIDTH, Sheet, Style
from samples.render.tables import Cell, Rules, Table, cells_of, draw_table
from samples.render.truth import Rows
from samples.render.wording import read

LEFT, RIGHT = millimetres(24), A4_WIDTH - millimetres(24)
TITLE = Style(Face.SERIF_BOLD, 17, leading=1.4)
BODY = Style(Face.SERIF, 10.5, leading=1.45, align="justify", hyphenate=True)
CAPTION = Style(Face.SERIF, 9.5, leading=1.4, align="center")
CELL = Style(Face.SERIF, 10, leading=1.3)
CELL_HEAD = Style(Face.SERIF_BOLD, 10, leading=1.3)
PLAIN_COLUMNS = (0.26, 0.17, 0.17, 0.22, 0.18)
SPAN_COLUMNS = (0.17, 0.17, 0.165, 0.165, 0.165, 0.165)

SpanCell = tuple[int, int, str, int, int]
"""Row, column, text, rowspan, colspan."""


class Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page's wording."""

    title: str
    intro: str
    plain_caption: str
    plain: Rows
    between: str
    span_caption: str
    closing: str
    span: tuple[SpanCell, ...]


def caption(sheet: Sheet, text: str, y: float) -> float:
    return sheet.paragraph(RegionKind.TABLE_TITLE, text, CAPTION, LEFT, RIGHT, y + points(14)) + points(4)


def paragraph(sheet: Sheet, text: str, y: float) -> float:
    return sheet.paragraph(RegionKind.TEXT, text, BODY, LEFT, RIGHT, y)


def plain_table(rows: Rows) -> Table:
    widths = tuple(share * (RIGHT - LEFT) for share in PLAIN_COLUMNS)
    aligns = ("left", "right", "right", "right", "right")
    return Table(cells_of(rows), widths, aligns, Rules.NONE, CELL, CELL_HEAD, padding=2.5)


def spanning_table(cells: tuple[SpanCell, ...]) -> Table:
    widths = tuple(share * (RIGHT - LEFT) for share in SPAN_COLUMNS)
    aligns = ("left", "left", "right", "right", "right", "right")
    placed = tuple(Cell(*cell) for cell in cells)
    return Table(placed, widths, aligns, Rules.GRID, CELL, CELL_HEAD, head_rows=2)


def draw() -> tuple[Sheet, ...]:
    """The page."""
    words, sheet = read("tables", Tables), Sheet()
    y = sheet.paragraph(RegionKind.DOC_TITLE, words.title, TITLE, LEFT, RIGHT, millimetres(25)) + points(8)
    y = caption(sheet, words.plain_caption, paragraph(sheet, words.intro, y))
    y = draw_table(sheet, plain_table(words.plain), LEFT, y) + points(20)
    y = caption(sheet, words.span_caption, paragraph(sheet, words.between, y))
    y = draw_table(sheet, spanning_table(words.span), LEFT, y) + points(18)
    paragraph(sheet, words.closing, y)
    return (sheet,)
