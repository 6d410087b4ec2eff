"""A newsletter page: a headline over three columns of text."""

import msgspec

from arcscribe.types import RegionKind
from samples.render.flow import Column, Insert, Passage, flow
from samples.render.fonts import Face, millimetres, points
from samples.render.sheet import A4_WIDTH, Sheet, Style
from samples.render.wording import Clause, read

LEFT, RIGHT = millimetres(17), A4_WIDTH - millimetres(17)
GUTTER = millimetres(7)
FLOOR = millimetres(268)
BODY = Style(Face.SERIF, 9.5, leading=1.38, indent=1.2, align="justify", hyphenate=True)
SECTION = Style(Face.SANS_BOLD, 11.5, leading=1.4)
TITLE = Style(Face.SERIF_BOLD, 24, leading=1.2)
DECK = Style(Face.SERIF_ITALIC, 13, leading=1.35)
BYLINE = Style(Face.SANS, 9.5, leading=1.5)
SMALL = Style(Face.SANS, 8.5, leading=1.4)
COLUMNS = 3


class Newsletter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page's wording."""

    header_left: str
    header_right: str
    title: str
    deck: str
    byline: str
    number: str
    sections: tuple[Clause, ...]


def opening(sheet: Sheet, words: Newsletter) -> float:
    """Header, headline, deck and byline; returns the y below them."""
    y = millimetres(11)
    sheet.paragraph(RegionKind.HEADER, words.header_left, SMALL, LEFT, RIGHT, y)
    right = Style(SMALL.face, SMALL.size, SMALL.leading, align="right")
    y = sheet.paragraph(RegionKind.HEADER, words.header_right, right, LEFT, RIGHT, y)
    sheet.rule(LEFT, RIGHT, y + points(2))
    y = sheet.paragraph(RegionKind.DOC_TITLE, words.title, TITLE, LEFT, RIGHT, y + points(16))
    y = sheet.paragraph(RegionKind.TEXT, words.deck, DECK, LEFT, RIGHT, y + points(6))
    return sheet.paragraph(RegionKind.TEXT, words.byline, BYLINE, LEFT, RIGHT, y + points(6))


def columns(top: float) -> list[Column]:
    width = (RIGHT - LEFT - (COLUMNS - 1) * GUTTER) / COLUMNS
    starts = [LEFT + n * (width + GUTTER) for n in range(COLUMNS)]
    return [Column(start, start + width, top, FLOOR) for start in starts]


def draw() -> tuple[Sheet, ...]:
    """The newsletter's page."""
    words, sheet = read("newsletter", Newsletter), Sheet()
    run: list[Passage | Insert] = []
    for section in words.sections:
        if section.title:
            run.append(Passage(RegionKind.PARAGRAPH_TITLE, section.title, SECTION, points(9)))
        run += [Passage(RegionKind.TEXT, item, BODY) for item in section.items]
    flow(sheet, run, columns(opening(sheet, words) + points(12)))
    number = Style(SMALL.face, SMALL.size, align="center")
    sheet.paragraph(RegionKind.NUMBER, words.number, number, LEFT, RIGHT, millimetres(279))
    return (sheet,)
