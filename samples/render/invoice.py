"""An English invoice: who, to whom, what, how much."""

import msgspec

from arcscribe.types import RegionKind
from samples.render.fonts import Face, millimetres, points
from samples.render.sheet import A4_WIDTH, Sheet, Style
from samples.render.tables import Rules, Table, cells_of, draw_table
from samples.render.truth import Rows
from samples.render.wording import read

LEFT, RIGHT = millimetres(20), A4_WIDTH - millimetres(20)
MIDDLE = millimetres(115)
TITLE = Style(Face.SANS_BOLD, 26, leading=1.3)
BODY = Style(Face.SANS, 10.5, leading=1.5)
STRONG = Style(Face.SANS_BOLD, 11, leading=1.5)
CELL = Style(Face.SANS, 10, leading=1.35)
CELL_HEAD = Style(Face.SANS_BOLD, 10, leading=1.35)
SMALL = Style(Face.SANS, 8, leading=1.4, align="center")
COLUMNS = (0.08, 0.46, 0.13, 0.16, 0.17)
ALIGNS = ("left", "left", "right", "right", "right")


class Invoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The invoice's wording."""

    title: str
    seller: tuple[str, ...]
    details: tuple[str, ...]
    buyer: tuple[str, ...]
    items: Rows
    totals: tuple[str, ...]
    notes_title: str
    notes: str
    footer: str


def head(sheet: Sheet, words: Invoice) -> float:
    """Title, seller, buyer and particulars; returns the y below them."""
    y = sheet.paragraph(RegionKind.DOC_TITLE, words.title, TITLE, LEFT, RIGHT, millimetres(20))
    y = sheet.stanza(RegionKind.TEXT, words.seller, BODY, LEFT, RIGHT, y + points(6))
    sheet.rule(LEFT, RIGHT, y + points(14), 3)
    top = y + points(28)
    bottom = sheet.stanza(RegionKind.TEXT, words.buyer, BODY, LEFT, MIDDLE - points(10), top)
    return max(bottom, sheet.stanza(RegionKind.TEXT, words.details, BODY, MIDDLE, RIGHT, top))


def draw() -> tuple[Sheet, ...]:
    """The invoice's page."""
    words, sheet = read("invoice", Invoice), Sheet()
    y = head(sheet, words) + points(26)
    widths = tuple(share * (RIGHT - LEFT) for share in COLUMNS)
    table = Table(cells_of(words.items), widths, ALIGNS, Rules.ROWS, CELL, CELL_HEAD, padding=6)
    y = draw_table(sheet, table, LEFT, y) + points(22)
    right = Style(STRONG.face, STRONG.size, STRONG.leading, align="right")
    y = sheet.stanza(RegionKind.TEXT, words.totals, right, LEFT, RIGHT - points(5), y) + points(30)
    y = sheet.paragraph(RegionKind.PARAGRAPH_TITLE, words.notes_title, STRONG, LEFT, RIGHT, y) + points(3)
    sheet.paragraph(RegionKind.TEXT, words.notes, BODY, LEFT, RIGHT, y)
    sheet.paragraph(RegionKind.FOOTER, words.footer, SMALL, LEFT, RIGHT, millimetres(280))
    return (sheet,)
