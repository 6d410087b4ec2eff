"""A page of an English paper: title and abstract over two columns of justified text, a figure, a footnote."""

import msgspec

from arcscribe.types import Box, RegionKind
from samples.render.chart import draw_chart
from samples.render.flow import Column, Insert, Passage, flow
from samples.render.fonts import Face, millimetres, points
from samples.render.sheet import A4_WIDTH, Sheet, Style
from samples.render.wording import Clause, read

LEFT, RIGHT = millimetres(19), A4_WIDTH - millimetres(19)
GUTTER = millimetres(8)
FLOOR = millimetres(272)
BODY = Style(Face.SERIF, 9, leading=1.34, indent=1.2, align="justify", hyphenate=True)
SECTION = Style(Face.SERIF_BOLD, 11, leading=1.35)
TITLE = Style(Face.SERIF_BOLD, 17, leading=1.3, align="center")
AUTHORS = Style(Face.SERIF, 11, leading=1.4, align="center")
AFFILIATION = Style(Face.SERIF_ITALIC, 9.5, leading=1.4, align="center")
ABSTRACT = Style(Face.SERIF, 8.5, leading=1.36, align="justify", hyphenate=True)
CAPTION = Style(Face.SERIF, 8, leading=1.35)
FOOTNOTE = Style(Face.SERIF, 7.5, leading=1.35)
SMALL = Style(Face.SERIF_ITALIC, 8, leading=1.4)
LEGEND = ("preparation", "scanning", "checking")
PAGE_NUMBER = "41"


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The paper's wording."""

    header_left: str
    header_right: str
    title: str
    authors: str
    affiliation: str
    abstract: str
    footnote: str
    caption: str
    chart_groups: tuple[str, ...]
    chart_values: tuple[tuple[int, ...], ...]
    sections: tuple[Clause, ...]


def opening(sheet: Sheet, words: Paper) -> float:
    """Header, title, authors and abstract; returns the y below them."""
    sheet.paragraph(RegionKind.HEADER, words.header_left, SMALL, LEFT, RIGHT, millimetres(11))
    right = Style(SMALL.face, SMALL.size, SMALL.leading, align="right")
    sheet.paragraph(RegionKind.HEADER, words.header_right, right, LEFT, RIGHT, millimetres(11))
    inset = millimetres(12)
    y = sheet.paragraph(
        RegionKind.DOC_TITLE, words.title, TITLE, LEFT + inset, RIGHT - inset, millimetres(23)
    )
    y = sheet.paragraph(RegionKind.TEXT, words.authors, AUTHORS, LEFT, RIGHT, y + points(7))
    y = sheet.paragraph(RegionKind.TEXT, words.affiliation, AFFILIATION, LEFT, RIGHT, y)
    return sheet.paragraph(
        RegionKind.ABSTRACT, words.abstract, ABSTRACT, LEFT + inset, RIGHT - inset, y + points(9)
    )


def figure(words: Paper) -> Insert:
    """The chart with its caption."""
    height = millimetres(46)

    def draw(sheet: Sheet, column: Column, top: float) -> float:
        box = Box(column.left, top + points(6), column.right, top + height)
        draw_chart(sheet, box, words.chart_groups, words.chart_values, LEGEND)
        sheet.record(RegionKind.CHART, box, "")
        y = box.bottom + points(5)
        kind = RegionKind.FIGURE_TITLE
        return sheet.paragraph(kind, words.caption, CAPTION, column.left, column.right, y) + points(8)

    return Insert(height + 5 * CAPTION.line_height, draw)


def run_of(words: Paper) -> list[Passage | Insert]:
    run: list[Passage | Insert] = []
    for section in words.sections:
        run.append(Passage(RegionKind.PARAGRAPH_TITLE, section.title, SECTION, points(8)))
        run += [figure(words) if i == "FIGURE" else Passage(RegionKind.TEXT, i, BODY) for i in section.items]
    return run


def footnote(sheet: Sheet, words: Paper, column: Column) -> None:
    """The note under a short rule, below the column."""
    y = column.bottom + points(8)
    sheet.rule(column.left, column.left + millimetres(25), y)
    sheet.paragraph(RegionKind.FOOTNOTE, words.footnote, FOOTNOTE, column.left, column.right, y + points(2))


def draw() -> tuple[Sheet, ...]:
    """The paper's page."""
    words, sheet = read("paper", Paper), Sheet()
    top = opening(sheet, words) + points(12)
    middle = (LEFT + RIGHT) / 2
    left = Column(LEFT, middle - GUTTER / 2, top, FLOOR - 3.4 * FOOTNOTE.line_height)
    right = Column(middle + GUTTER / 2, RIGHT, top, FLOOR)
    flow(sheet, run_of(words), (left, right))
    footnote(sheet, words, left)
    number = Style(Face.SERIF, 9, align="center")
    sheet.paragraph(RegionKind.NUMBER, PAGE_NUMBER, number, LEFT, RIGHT, millimetres(279))
    return (sheet,)
