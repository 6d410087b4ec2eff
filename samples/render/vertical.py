"""A page of vertical Chinese text: the title at the right, columns of prose read from right to left."""

import msgspec
from PIL import Image, ImageDraw
from PIL.ImageFont import FreeTypeFont

from arcscribe.types import Box, RegionKind, enclosing_box
from samples.render.fonts import Face, load, millimetres, points
from samples.render.sheet import A4_HEIGHT, A4_WIDTH, BLACK, Sheet, Style
from samples.render.typeset import NEVER_FIRST
from samples.render.wording import read

TOP, FLOOR = millimetres(34), A4_HEIGHT - millimetres(38)
RIGHT_EDGE = A4_WIDTH - millimetres(24)
BODY_POINTS, TITLE_POINTS, AUTHOR_POINTS = 14.0, 28.0, 15.0
PITCH = 1.75
"""Distance of columns over the type size."""
INDENT = 2
CORNER_MARKS = frozenset("，。、")
"""Marks that stand in the upper right corner of their square in vertical text."""


class Vertical(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page's wording."""

    title: str
    author: str
    number: str
    paragraphs: tuple[str, ...]


def columns_of(text: str, rows: int, indent: int) -> list[str]:
    """A paragraph in columns of `rows` squares, the first shorter by `indent`.

    A punctuation mark that would stand at the top of a column is hung below the one before.
    """
    columns, rest, room = [], text, rows - indent
    while rest:
        count = room
        while count < len(rest) and rest[count] in NEVER_FIRST:
            count += 1
        columns.append(rest[:count])
        rest, room = rest[count:], rows
    return columns


def draw_character(image: Image.Image, character: str, x: float, y: float, font: FreeTypeFont) -> Box:
    """Draws one character in the square whose upper left corner is at (x, y); returns the square."""
    shift = 0.58 * font.size if character in CORNER_MARKS else 0.0
    baseline = y + 0.88 * font.size
    ImageDraw.Draw(image).text((x + shift, baseline - shift), character, BLACK, font, anchor="ls")
    return Box(x, y, x + font.size, y + font.size)


def draw_column(sheet: Sheet, text: str, x: float, top: float, font: FreeTypeFont) -> Box:
    """Draws one column; `x` is its left edge."""
    squares = (
        draw_character(sheet.image, character, x, top + row * font.size, font)
        for row, character in enumerate(text)
    )
    return enclosing_box(squares)


def title_and_author(sheet: Sheet, words: Vertical) -> float:
    """The title and the author's name in columns of their own; returns the x of their left edge."""
    title, author = load(Face.HEI_BOLD, points(TITLE_POINTS)), load(Face.SONG, points(AUTHOR_POINTS))
    x = RIGHT_EDGE - title.size
    sheet.record(RegionKind.DOC_TITLE, draw_column(sheet, words.title, x, TOP, title), words.title)
    x -= author.size * 2
    box = draw_column(sheet, words.author, x, TOP + 10 * author.size, author)
    sheet.record(RegionKind.VERTICAL_TEXT, box, words.author)
    return x


def draw() -> tuple[Sheet, ...]:
    """The page."""
    words, sheet = read("vertical", Vertical), Sheet()
    font = load(Face.SONG, points(BODY_POINTS))
    rows = int((FLOOR - TOP) // font.size)
    x = title_and_author(sheet, words) - font.size * 1.2
    for paragraph in words.paragraphs:
        boxes = []
        for number, column in enumerate(columns_of(paragraph, rows, INDENT)):
            x -= font.size * PITCH
            start = TOP + (0 if number else INDENT * font.size)
            boxes.append(draw_column(sheet, column, x, start, font))
        sheet.record(RegionKind.VERTICAL_TEXT, enclosing_box(boxes), paragraph)
    number_style = Style(Face.SONG, 10, align="center")
    left, top = millimetres(24), millimetres(273)
    sheet.paragraph(RegionKind.NUMBER, words.number, number_style, left, RIGHT_EDGE, top)
    return (sheet,)
