"""Pages as PP-StructureV3 sees them, made from seeds: columns, spanning parts, sidebars, vertical text.

Each recipe sets the parts of the flow in the order in which a person reads them.
"""

from collections.abc import Callable

from arcscribe.types import Box, RegionKind, enclosing_box
from tests.layout_stage.block_order.typesetter import (
    HEIGHT,
    MARGIN,
    SPACE,
    WIDTH,
    GeneratedPage,
    Typesetter,
)

_BODY = WIDTH - 2 * MARGIN
_BOTTOM = HEIGHT - 140


def generated_pages() -> list[GeneratedPage]:
    """All pages; the same whenever and wherever they are made."""
    return [_made(recipe, seed) for recipe, seeds in _RECIPES for seed in range(seeds)]


def _made(recipe: Callable[[Typesetter], None], seed: int) -> GeneratedPage:
    setter = Typesetter(recipe.__name__.strip("_"), seed)
    recipe(setter)
    return setter.page()


def _one_column(s: Typesetter) -> None:
    """A report: title, subtitle, headings, a picture, a table, a footnote."""
    s.margins()
    y = s.text(MARGIN + 200, MARGIN, _BODY - 400, 1, RegionKind.DOC_TITLE, 40)
    y = s.text(MARGIN + 300, y, _BODY - 600, 1)
    y = s.column(MARGIN, y + SPACE, _BODY, 600)
    y = s.picture(MARGIN + 150, y, _BODY - 300, 260)
    y = s.column(MARGIN, y, _BODY, y + 200)
    y = s.picture(MARGIN, y, _BODY, 200, kind=RegionKind.TABLE)
    s.column(MARGIN, y, _BODY, _BOTTOM - 60)
    s.text(MARGIN, _BOTTOM, _BODY, 1, RegionKind.FOOTNOTE)


def _formulas(s: Typesetter) -> None:
    """One column with formulas between the paragraphs."""
    y = s.text(MARGIN, MARGIN, 400, 1, RegionKind.PARAGRAPH_TITLE, 28)
    for _ in range(5):
        y = s.text(MARGIN, y, _BODY, s.number(2, 5))
        y = s.text(MARGIN + 300, y, s.number(200, 440), 1, RegionKind.FORMULA, 36)
    s.text(MARGIN, y, _BODY, 4)


def _numbered_formulas(s: Typesetter) -> None:
    """Two columns with numbered formulas."""
    for x, width in s.lanes(2):
        y = MARGIN
        for _ in range(4):
            y = s.text(x, y, width, s.number(3, 6))
            below = s.text(x + 60, y, width - 180, 1, RegionKind.FORMULA, 36)
            s.text(x + width - 50, y + 8, 50, 1, RegionKind.FORMULA_NUMBER)
            y = below
        s.column(x, y, width, _BOTTOM, headings=False)


def _paper(s: Typesetter) -> None:
    """Two columns under a title, authors and an abstract."""
    s.margins()
    y = s.text(MARGIN + 100, MARGIN, _BODY - 200, 2, RegionKind.DOC_TITLE, 36)
    y = s.text(MARGIN + 320, y, _BODY - 640, 1)
    y = s.text(MARGIN + 80, y + SPACE, _BODY - 160, 6, RegionKind.ABSTRACT)
    s.columns(2, y + SPACE, _BOTTOM)


def _two_columns(s: Typesetter) -> None:
    """Plain columns with a picture in one and a table in the other."""
    s.margins()
    (left, width), (right, _) = s.lanes(2)
    y = s.column(left, MARGIN, width, s.number(300, 800))
    y = s.picture(left, y, width, s.number(200, 350))
    s.column(left, y, width, _BOTTOM)
    y = s.column(right, MARGIN, width, s.number(300, 800))
    y = s.picture(right, y, width, s.number(200, 350), kind=RegionKind.TABLE)
    s.column(right, y, width, _BOTTOM)


def _figure_across(s: Typesetter) -> None:
    """Two columns with a picture across both: at the top, amid them, or at the bottom."""
    s.margins()
    place = s.seed % 3
    y = MARGIN
    if place > 0:
        y = s.columns(2, y, 700 if place == 1 else 1200)
    y = s.picture(MARGIN, y, _BODY, 300)
    if place < 2:
        s.columns(2, y, _BOTTOM)


def _heading_across(s: Typesetter) -> None:
    """Two sets of columns with a heading from the left across both between them."""
    y = s.columns(2, MARGIN, 700)
    y = s.text(MARGIN, y + SPACE, s.number(_BODY * 6 // 10, _BODY), 1, RegionKind.PARAGRAPH_TITLE, 30)
    s.columns(2, y + SPACE, _BOTTOM)


def _footnotes(s: Typesetter) -> None:
    """Two columns, each with a footnote of its own."""
    s.margins()
    for x, width in s.lanes(2):
        end = s.column(x, MARGIN, width, _BOTTOM - s.number(80, 200))
        s.text(x, end + SPACE, width, 2, RegionKind.FOOTNOTE, 16)


def _three_columns(s: Typesetter) -> None:
    """Three columns under a title."""
    y = s.text(MARGIN + 60, MARGIN, _BODY - 120, 1, RegionKind.DOC_TITLE, 44)
    s.columns(3, y + SPACE, _BOTTOM)


def _picture_over_two_of_three(s: Typesetter) -> None:
    """Three columns, with a picture over the last two of them at the top."""
    lanes = s.lanes(3)
    s.column(lanes[0][0], MARGIN, lanes[0][1], _BOTTOM)
    y = s.picture(lanes[1][0], MARGIN, 2 * lanes[1][1] + 40, s.number(250, 400))
    for x, width in lanes[1:]:
        s.column(x, y, width, _BOTTOM)


def _table_over_two_of_three(s: Typesetter) -> None:
    """Three columns, with a table over the first two of them at the bottom."""
    lanes = s.lanes(3)
    ends = [s.column(x, MARGIN, width, 1100) for x, width in lanes[:2]]
    s.picture(lanes[0][0], max(ends), 2 * lanes[0][1] + 40, 300, kind=RegionKind.TABLE)
    s.column(lanes[2][0], MARGIN, lanes[2][1], _BOTTOM)


def _four_columns(s: Typesetter) -> None:
    """Four columns with headings."""
    s.margins()
    s.columns(4, MARGIN, _BOTTOM)


def _newspaper(s: Typesetter) -> None:
    """Four columns with a picture over the two in the middle."""
    y = s.text(MARGIN, MARGIN, _BODY, 1, RegionKind.DOC_TITLE, 60)
    lanes = s.lanes(4)
    top = y + SPACE
    for k, (x, width) in enumerate(lanes):
        if k == 1:
            s.picture(x, top, 2 * width + 40, 360)
        s.column(x, top + 440 if k in (1, 2) else top, width, _BOTTOM, headings=False)


def _sidebar(s: Typesetter) -> None:
    """A wide column with a narrow one of text beside it, to its right or left."""
    s.margins()
    if s.seed % 2 == 0:
        s.column(MARGIN, MARGIN + 40, 300, s.number(600, 1200))
        s.column(MARGIN + 340, MARGIN, _BODY - 340, _BOTTOM)
    else:
        s.column(MARGIN, MARGIN, _BODY - 340, _BOTTOM)
        s.column(WIDTH - MARGIN - 300, MARGIN + 40, 300, s.number(600, 1200))


def _aside(s: Typesetter) -> None:
    """Notes in the margin beside two columns."""
    s.margins()
    for x, width in s.lanes(2, left=MARGIN + 160):
        s.column(x, MARGIN, width, _BOTTOM)
    for y in (300, 700, 1100):
        s.text(MARGIN, y + s.number(0, 100), 130, 3, RegionKind.ASIDE_TEXT, 16)


def _bands(s: Typesetter) -> None:
    """One column, then two, then one, then three."""
    y = s.text(MARGIN + 250, MARGIN, _BODY - 500, 1, RegionKind.DOC_TITLE, 40)
    y = s.column(MARGIN, y + SPACE, _BODY, 350, headings=False)
    y = s.columns(2, y + SPACE, 750)
    y = s.column(MARGIN, y + SPACE, _BODY, y + 200, headings=False)
    s.columns(3, y + SPACE, _BOTTOM)


def _pictures_in_a_grid(s: Typesetter) -> None:
    """Pictures side by side with captions, between paragraphs."""
    y = s.column(MARGIN, MARGIN, _BODY, 400)
    lanes = s.lanes(2 + s.seed % 2)
    for _ in range(2):
        y = max(s.picture(x, y, width, 220) for x, width in lanes) + SPACE
    s.column(MARGIN, y, _BODY, _BOTTOM)


def _stacked_headings(s: Typesetter) -> None:
    """Two columns in which headings take several regions."""
    for x, width in s.lanes(2):
        y = MARGIN
        for _ in range(3):
            y = s.text(x, y, width * s.number(50, 90) // 100, 1, RegionKind.PARAGRAPH_TITLE, 24) - 8
            y = s.text(x, y, width * s.number(30, 70) // 100, 1, RegionKind.PARAGRAPH_TITLE, 24)
            y = s.text(x, y, width, s.number(4, 8))
            y = s.text(x, y, width, s.number(2, 5))


def _references(s: Typesetter) -> None:
    """Two columns that end in references."""
    s.margins()
    for number, (x, width) in enumerate(s.lanes(2)):
        y = s.column(x, MARGIN, width, s.number(600, 900)) if number == 0 else MARGIN
        if number == 0:
            y = s.text(x, y, 160, 1, RegionKind.PARAGRAPH_TITLE, 24)
        while y < _BOTTOM - 100:
            y = s.text(x, y, width, s.number(2, 3), RegionKind.REFERENCE) - 8


def _chart_report(s: Typesetter) -> None:
    """A chart on the left with text to its right, between paragraphs that run across."""
    y = s.column(MARGIN, MARGIN, _BODY, 500)
    end = s.picture(MARGIN, y, 480, 340, kind=RegionKind.CHART)
    s.column(MARGIN + 520, y, _BODY - 520, end - SPACE, headings=False)
    s.column(MARGIN, end + SPACE, _BODY, _BOTTOM)


def _seal(s: Typesetter) -> None:
    """A contract's end: text, two signatures side by side, a seal."""
    y = s.text(MARGIN + 350, MARGIN, _BODY - 700, 1, RegionKind.DOC_TITLE, 40)
    y = s.column(MARGIN, y + SPACE, _BODY, 900)
    for x, width in s.lanes(2):
        s.text(x, y + SPACE, width * 2 // 3, 3)
    s.set(RegionKind.SEAL, Box(800, y + 150, 1000, y + 350))
    s.text(WIDTH // 2 - 20, HEIGHT - 60, 40, 1, RegionKind.NUMBER)


def _vertical(s: Typesetter) -> None:
    """Vertical text from right to left, with a vertical title at the right."""
    x = s.vertical_text(WIDTH - MARGIN, MARGIN, 1, 900, RegionKind.DOC_TITLE, 48) - SPACE
    while x > MARGIN + 120:
        x = s.vertical_text(x, MARGIN, min(s.number(2, 6), (x - MARGIN) // 28), 1400)


def _vertical_rows(s: Typesetter) -> None:
    """Vertical text in two or three rows."""
    rows = 2 + s.seed % 2
    height = (HEIGHT - 2 * MARGIN - 50 * (rows - 1)) // rows
    for row in range(rows):
        x, top = WIDTH - MARGIN, MARGIN + row * (height + 50)
        while x > MARGIN + 120:
            if s.number(1, 4) == 1:
                x = s.vertical_text(x, top, 1, height // 2, RegionKind.PARAGRAPH_TITLE, 26)
            x = s.vertical_text(x, top, min(s.number(2, 7), max(1, (x - MARGIN) // 28)), height)


def _vertical_with_pictures(s: Typesetter) -> None:
    """Two rows of vertical text, a picture with a caption in one, under a horizontal title."""
    s.text(MARGIN + 200, MARGIN, _BODY - 400, 1, RegionKind.DOC_TITLE, 50)
    height = 650
    for row in range(2):
        x, top = WIDTH - MARGIN, MARGIN + 120 + row * (height + 50)
        x = s.vertical_text(x, top, s.number(6, 12), height)
        if row == s.seed % 2:
            s.picture(x - 380, top, 380, 400)
            x -= 380 + SPACE
        while x > MARGIN + 120:
            x = s.vertical_text(x, top, min(s.number(3, 7), max(1, (x - MARGIN) // 28)), height)


def _article(s: Typesetter, box: Box, columns: int) -> None:
    """An article of a newspaper: a heading over columns, in an area of its own."""
    before = len(s.parts)
    left, top, right, bottom = (int(edge) for edge in (box.left, box.top, box.right, box.bottom))
    y = s.text(left, top, right - left, 1, RegionKind.PARAGRAPH_TITLE, 32)
    for x, width in s.lanes(columns, left, right):
        s.column(x, y, width, bottom, headings=False)
    s.areas.append(enclosing_box(part.box for part in s.parts[before:]))


def _articles(s: Typesetter) -> None:
    """Four articles in areas: two side by side, one across, one beside a picture."""
    s.margins()
    middle = MARGIN + _BODY // 2 + s.number(-80, 80)
    _article(s, Box(MARGIN, MARGIN, middle - 30, 700), 1 + s.seed % 2)
    _article(s, Box(middle + 30, MARGIN, WIDTH - MARGIN, 700), 2 - s.seed % 2)
    _article(s, Box(MARGIN, 760, WIDTH - MARGIN, 1150), 3)
    _article(s, Box(MARGIN, 1210, middle - 30, _BOTTOM), 2)
    s.picture(middle + 30, 1210, WIDTH - MARGIN - middle - 30, 300)


def _articles_in_columns(s: Typesetter) -> None:
    """Areas in columns: a tall one on the left, two on the right."""
    s.margins()
    _article(s, Box(MARGIN, MARGIN, MARGIN + 400, _BOTTOM), 1)
    border = s.number(600, 900)
    _article(s, Box(MARGIN + 450, MARGIN, WIDTH - MARGIN, border), 2)
    _article(s, Box(MARGIN + 450, border + 60, WIDTH - MARGIN, _BOTTOM), 2)


def _one_area(s: Typesetter) -> None:
    """Two columns that are one area, and a text that block layout left out below it."""
    _article(s, Box(MARGIN, MARGIN, WIDTH - MARGIN, 1200), 2)
    s.column(MARGIN, 1300, _BODY, _BOTTOM)


def _vertical_articles(s: Typesetter) -> None:
    """Two areas of vertical text beside each other."""
    for right, left in ((WIDTH - MARGIN, WIDTH // 2 + 40), (WIDTH // 2 - 40, MARGIN)):
        before = len(s.parts)
        x = right
        while x > left + 60:
            x = s.vertical_text(x, MARGIN, min(s.number(3, 7), max(1, (x - left) // 28)), 1000)
        s.areas.append(enclosing_box(part.box for part in s.parts[before:]))


def _areas_with_notes(s: Typesetter) -> None:
    """Two areas beside each other with notes in the margin left of them, and footnotes below them."""
    s.margins()
    left = MARGIN + 160
    middle = left + (WIDTH - MARGIN - left) // 2
    _article(s, Box(left, MARGIN, middle - 30, 1400), 1)
    _article(s, Box(middle + 30, MARGIN, WIDTH - MARGIN, 1400), 1)
    for y in (300, 800):
        s.text(MARGIN, y + s.number(0, 100), 130, 3, RegionKind.ASIDE_TEXT, 16)
    s.text(left, 1500, 400, 2, RegionKind.FOOTNOTE, 16)


def _nested_areas(s: Typesetter) -> None:
    """A large area with a small one in it, and one below both."""
    _article(s, Box(MARGIN, MARGIN, 640, 900), 1)
    y = s.column(690, MARGIN, WIDTH - MARGIN - 690, 440, headings=False)
    _article(s, Box(690, 500, WIDTH - MARGIN, 900), 1)
    s.areas[0] = Box(MARGIN, MARGIN, WIDTH - MARGIN, 920)
    _article(s, Box(MARGIN, max(y, 1000), WIDTH - MARGIN, _BOTTOM), 3)


def _pull_quote(s: Typesetter) -> None:
    """Two columns with a box of text amid them that juts into both."""
    gap, height = s.number(600, 800), 170
    for x, width in s.lanes(2):
        s.column(x, MARGIN, width, gap, headings=False)
    s.text(MARGIN + 260, gap + 10, _BODY - 520, 4, em=26)
    for x, width in s.lanes(2):
        s.column(x, gap + height, width, _BOTTOM, headings=False)


def _touching(s: Typesetter) -> None:
    """Two columns of paragraphs whose boxes touch or overlap a little."""
    for x, width in s.lanes(2):
        y = MARGIN
        while y < _BOTTOM - 200:
            y = s.text(x, y, width, s.number(3, 7)) - SPACE - s.number(0, 5)


def _ragged(s: Typesetter) -> None:
    """Two columns whose boxes are never quite as wide as the column."""
    s.margins()
    for x, width in s.lanes(2):
        y = MARGIN
        while y < _BOTTOM - 200:
            indent = s.number(0, 30)
            y = s.text(x + indent, y, width - indent - s.number(0, 60), s.number(1, 6))


def _tables_beside(s: Typesetter) -> None:
    """Two tables beside each other with captions above, and a note of a line below each."""
    y = s.text(MARGIN, MARGIN, 500, 1, RegionKind.PARAGRAPH_TITLE, 28)
    y = s.column(MARGIN, y, _BODY, 500, headings=False)
    ends = []
    for x, width in s.lanes(2):
        end = s.picture(x, y, width, s.number(200, 300), kind=RegionKind.TABLE)
        ends.append(s.text(x, end - SPACE // 2, width * 2 // 3, 1, em=16))
    s.column(MARGIN, max(ends) + SPACE, _BODY, _BOTTOM)


def _picture_amid_columns(s: Typesetter) -> None:
    """Three columns with a picture over two of them half way down."""
    lanes = s.lanes(3)
    first = s.seed % 2
    wide = lanes[first : first + 2]
    if first == 1:
        s.column(lanes[0][0], MARGIN, lanes[0][1], _BOTTOM, headings=False)
    ends = [s.column(x, MARGIN, width, 700, headings=False) for x, width in wide]
    y = s.picture(wide[0][0], max(ends), 2 * wide[0][1] + 40, 300)
    for x, width in wide:
        s.column(x, y, width, _BOTTOM, headings=False)
    if first == 0:
        s.column(lanes[2][0], MARGIN, lanes[2][1], _BOTTOM, headings=False)


def _contents(s: Typesetter) -> None:
    """A table of contents under a heading, with a picture in the header."""
    s.set(RegionKind.HEADER_IMAGE, Box(MARGIN, 30, MARGIN + 120, 80))
    s.text(MARGIN + 160, 46, 300, 1, RegionKind.HEADER)
    y = s.text(MARGIN + 400, MARGIN, _BODY - 800, 1, RegionKind.PARAGRAPH_TITLE, 40)
    for _ in range(3):
        y = s.text(MARGIN, y, _BODY, s.number(6, 12), RegionKind.CONTENT)


_RECIPES: tuple[tuple[Callable[[Typesetter], None], int], ...] = (
    (_one_column, 2),
    (_formulas, 1),
    (_numbered_formulas, 1),
    (_paper, 3),
    (_two_columns, 3),
    (_figure_across, 3),
    (_heading_across, 2),
    (_footnotes, 2),
    (_three_columns, 2),
    (_picture_over_two_of_three, 2),
    (_table_over_two_of_three, 2),
    (_four_columns, 2),
    (_newspaper, 2),
    (_sidebar, 4),
    (_aside, 2),
    (_bands, 3),
    (_pictures_in_a_grid, 2),
    (_stacked_headings, 2),
    (_references, 2),
    (_chart_report, 2),
    (_seal, 1),
    (_vertical, 2),
    (_vertical_rows, 3),
    (_vertical_with_pictures, 2),
    (_articles, 3),
    (_articles_in_columns, 2),
    (_one_area, 2),
    (_vertical_articles, 1),
    (_areas_with_notes, 2),
    (_nested_areas, 2),
    (_pull_quote, 2),
    (_touching, 2),
    (_ragged, 2),
    (_tables_beside, 2),
    (_picture_amid_columns, 2),
    (_contents, 1),
)
