"""A Chinese purchase contract of two pages, with a table of goods and a red seal over a signature."""

import msgspec

from arcscribe.types import RegionKind
from samples.render.fonts import Face, millimetres, points
from samples.render.seal import Seal, stamp
from samples.render.sheet import A4_WIDTH, Sheet, Style
from samples.render.tables import Rules, Table, cells_of, draw_table
from samples.render.truth import Rows
from samples.render.wording import Clause, read

LEFT, RIGHT = millimetres(28), A4_WIDTH - millimetres(28)
TOP, FLOOR = millimetres(30), millimetres(272)
BODY = Style(Face.SONG, 12, leading=1.62, indent=2, align="justify")
PARTY = Style(Face.SONG, 12, leading=1.62)
CLAUSE = Style(Face.HEI_BOLD, 12.5, leading=1.6)
TITLE = Style(Face.HEI_BOLD, 22, leading=1.6, align="center")
CAPTION = Style(Face.HEI, 10.5, leading=1.6, align="center")
SMALL = Style(Face.SONG, 9, leading=1.4)
CELL = Style(Face.SONG, 10.5, leading=1.35)
CELL_HEAD = Style(Face.HEI_BOLD, 10.5, leading=1.35)
COLUMNS = (0.09, 0.25, 0.16, 0.11, 0.18, 0.21)
ALIGNS = ("center", "left", "center", "center", "right", "right")
SECOND_PAGE_STARTS_AT = "第四条"


class Contract(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contract's wording."""

    header_left: str
    header_right: str
    title: str
    parties: tuple[str, ...]
    preamble: str
    table_caption: str
    table: Rows
    clauses: tuple[Clause, ...]
    seal_name: str
    seal_foot: str
    party_a: tuple[str, ...]
    party_b: tuple[str, ...]


def running_header(sheet: Sheet, words: Contract) -> None:
    """The running header with its rule."""
    y = millimetres(15)
    sheet.paragraph(RegionKind.HEADER, words.header_left, SMALL, LEFT, RIGHT, y)
    right = Style(SMALL.face, SMALL.size, SMALL.leading, align="right")
    bottom = sheet.paragraph(RegionKind.HEADER, words.header_right, right, LEFT, RIGHT, y)
    sheet.rule(LEFT, RIGHT, bottom + points(2))


def page_number(sheet: Sheet, number: int) -> None:
    style = Style(SMALL.face, SMALL.size, align="center")
    text = f"第 {number} 页 共 2 页"
    sheet.paragraph(RegionKind.NUMBER, text, style, LEFT, RIGHT, millimetres(280))


def goods(sheet: Sheet, words: Contract, y: float) -> float:
    y = sheet.paragraph(RegionKind.TABLE_TITLE, words.table_caption, CAPTION, LEFT, RIGHT, y + points(5))
    widths = tuple(share * (RIGHT - LEFT) for share in COLUMNS)
    table = Table(cells_of(words.table), widths, ALIGNS, Rules.GRID, CELL, CELL_HEAD)
    return draw_table(sheet, table, LEFT, y + points(3)) + points(9)


def clause(sheet: Sheet, words: Contract, one: Clause, y: float) -> float:
    y = sheet.paragraph(RegionKind.PARAGRAPH_TITLE, one.title, CLAUSE, LEFT, RIGHT, y + points(7)) + points(2)
    for item in one.items:
        if item == "TABLE":
            y = goods(sheet, words, y)
        else:
            y = sheet.paragraph(RegionKind.TEXT, item, BODY, LEFT, RIGHT, y)
    return y


def opening(sheet: Sheet, words: Contract) -> float:
    """Title, parties and preamble; returns the y below them."""
    y = sheet.paragraph(RegionKind.DOC_TITLE, words.title, TITLE, LEFT, RIGHT, TOP) + points(10)
    y = sheet.stanza(RegionKind.TEXT, words.parties, PARTY, LEFT, RIGHT, y) + points(6)
    return sheet.paragraph(RegionKind.TEXT, words.preamble, BODY, LEFT, RIGHT, y)


def signatures(sheet: Sheet, words: Contract, y: float) -> None:
    """Both parties side by side, the seal over the buyer's lines."""
    style = Style(Face.SONG, 10.5, leading=2.0)
    middle = (LEFT + RIGHT) / 2
    sheet.stanza(RegionKind.TEXT, words.party_a, style, LEFT, middle, y)
    sheet.stanza(RegionKind.TEXT, words.party_b, style, middle + points(18), RIGHT, y)
    center = LEFT + millimetres(38), y + 2.6 * style.line_height
    seal = Seal(words.seal_name, words.seal_foot)
    sheet.record(RegionKind.SEAL, stamp(sheet.image, seal, center, turn=7), seal.text)


def draw() -> tuple[Sheet, ...]:
    """The contract's two pages."""
    words = read("contract", Contract)
    split = [c.title[:3] for c in words.clauses].index(SECOND_PAGE_STARTS_AT)
    first, second = Sheet(), Sheet()
    running_header(first, words)
    y = opening(first, words)
    for one in words.clauses[:split]:
        y = clause(first, words, one, y)
    page_number(first, 1)
    running_header(second, words)
    y = TOP - points(14)
    for one in words.clauses[split:]:
        y = clause(second, words, one, y)
    signatures(second, words, y + points(48))
    page_number(second, 2)
    return first, second
