"""A Chinese quotation whose table of prices lies under a round seal, and its signature under an oval one."""

import msgspec

from arcscribe.types import RegionKind
from samples.render.fonts import Face, millimetres, points
from samples.render.seal import Seal, stamp
from samples.render.sheet import A4_WIDTH, Sheet, Style
from samples.render.tables import Rules, Table, cells_of, draw_table
from samples.render.truth import Rows
from samples.render.wording import read

LEFT, RIGHT = millimetres(26), A4_WIDTH - millimetres(26)
TOP = millimetres(28)
TITLE = Style(Face.HEI_BOLD, 20, leading=1.6, align="center")
PLAIN = Style(Face.SONG, 11.5, leading=1.7)
BODY = Style(Face.SONG, 11.5, leading=1.7, indent=2, align="justify")
CAPTION = Style(Face.HEI, 10.5, leading=1.6, align="center")
CELL = Style(Face.SONG, 10.5, leading=1.4)
CELL_HEAD = Style(Face.HEI_BOLD, 10.5, leading=1.4)
COLUMNS = (0.09, 0.24, 0.16, 0.11, 0.19, 0.21)
ALIGNS = ("center", "left", "center", "center", "right", "right")


class Quotation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The quotation's wording."""

    title: str
    client: str
    number: str
    preamble: str
    table_caption: str
    table: Rows
    terms: str
    signer: tuple[str, ...]
    seal_name: str
    seal_foot: str
    oval_name: str
    oval_middle: str
    oval_foot: str


def opening(sheet: Sheet, words: Quotation) -> float:
    """Title, client and preamble; returns the y below them."""
    y = sheet.paragraph(RegionKind.DOC_TITLE, words.title, TITLE, LEFT, RIGHT, TOP) + points(10)
    y = sheet.stanza(RegionKind.TEXT, (words.client, words.number), PLAIN, LEFT, RIGHT, y) + points(8)
    return sheet.paragraph(RegionKind.TEXT, words.preamble, BODY, LEFT, RIGHT, y) + points(8)


def sealed_table(sheet: Sheet, words: Quotation, y: float) -> float:
    """The table of prices with a seal over three of its columns; returns the y below it."""
    y = sheet.paragraph(RegionKind.TABLE_TITLE, words.table_caption, CAPTION, LEFT, RIGHT, y) + points(3)
    widths = tuple(share * (RIGHT - LEFT) for share in COLUMNS)
    table = Table(cells_of(words.table), widths, ALIGNS, Rules.GRID, CELL, CELL_HEAD)
    bottom = draw_table(sheet, table, LEFT, y)
    center = LEFT + 0.62 * (RIGHT - LEFT), (y + bottom) / 2
    seal = Seal(words.seal_name, words.seal_foot, diameter=40)
    sheet.record(RegionKind.SEAL, stamp(sheet.image, seal, center, turn=-11), seal.text)
    return bottom + points(14)


def draw() -> tuple[Sheet, ...]:
    """The quotation's page."""
    words = read("quotation", Quotation)
    sheet = Sheet()
    y = sealed_table(sheet, words, opening(sheet, words))
    y = sheet.paragraph(RegionKind.TEXT, words.terms, BODY, LEFT, RIGHT, y) + points(40)
    sheet.stanza(RegionKind.TEXT, words.signer, PLAIN, LEFT, RIGHT, y)
    seal = Seal(
        words.oval_name,
        words.oval_foot,
        middle=words.oval_middle,
        diameter=42,
        aspect=0.75,
        face=Face.HEI_BOLD,
        arc=215,
        letter=0.1,
    )
    center = LEFT + millimetres(52), y + 1.6 * PLAIN.line_height
    sheet.record(RegionKind.SEAL, stamp(sheet.image, seal, center, turn=9), seal.text)
    return (sheet,)
