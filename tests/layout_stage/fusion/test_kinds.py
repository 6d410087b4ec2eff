"""What kind of region a paragraph, a picture or a line in the margin is."""

from collections.abc import Sequence

import cv2
import numpy as np

from arcscribe.types import Box, RegionKind, RgbImage, TextLine
from layout_stage.cdla_boxes import LayoutBox
from layout_stage.skew import Turn
from tests.layout_stage.networks import SayingEngine, analyzed, analyzer_of, drawn, kinds
from tests.layout_stage.pages import line, paragraph

BLACK = (0, 0, 0)
BODY = paragraph(100, 120, 800, 40)


def kind_of(
    what: TextLine, page: RgbImage, lines: Sequence[TextLine], boxes: Sequence[LayoutBox] = ()
) -> RegionKind:
    regions = analyzer_of(SayingEngine(lines, boxes)).analyze(page).regions
    return next(region.kind for region in regions if what in region.lines)


def test_a_bold_line_above_text_is_a_title() -> None:
    title, text = line(100, 300, 260), paragraph(100, 360, 800, 12)
    lines = [title, *text]
    page = drawn(lines)
    for x in range(102, 356, 12):
        cv2.rectangle(page, (x, 303), (x + 6, 317), BLACK, -1)
    assert kind_of(title, page, lines) is RegionKind.PARAGRAPH_TITLE
    assert kind_of(title, drawn(lines), lines) is RegionKind.TEXT


def test_a_title_in_small_type_or_of_many_lines_is_text() -> None:
    small, long = line(100, 300, 160, 15), paragraph(100, 340, 800, 6)
    text = paragraph(100, 540, 800, 12)
    boxes = [LayoutBox("title", 0.9, item) for item in (small.box, Box(100, 340, 900, 500))]
    lines = [small, *long, *text]
    layout = analyzed(lines, boxes)
    assert RegionKind.PARAGRAPH_TITLE not in kinds(layout)


def test_a_large_sum_at_the_right_is_no_title() -> None:
    total, text = line(740, 900, 150, 27), paragraph(100, 120, 500, 12)
    assert kind_of(total, drawn([total, *text]), [total, *text]) is RegionKind.TEXT


def test_a_caption_of_a_table_is_one_beside_a_table_only() -> None:
    caption = line(100, 420, 300)
    text = paragraph(100, 120, 800, 10)
    box = LayoutBox("table_caption", 0.9, caption.box)
    assert kind_of(caption, drawn([caption, *text]), [caption, *text], [box]) is RegionKind.TEXT
    cells = [line(x, y, 60) for y in (460, 500, 540, 580) for x in (120, 320, 520)]
    lines = [caption, *text, *cells]
    assert kind_of(caption, drawn(lines), lines, [box]) is RegionKind.TABLE_TITLE


def test_what_stands_beside_a_running_head_is_one_too() -> None:
    head, beside = line(100, 90, 300, 16), line(700, 88, 200)
    boxes = [LayoutBox("header", 0.8, head.box)]
    lines = [head, beside, *BODY]
    assert kind_of(beside, drawn(lines), lines) is RegionKind.TEXT
    assert kind_of(beside, drawn(lines), lines, boxes) is RegionKind.HEADER


def test_small_type_under_a_rule_in_the_row_of_a_footer_is_one_too() -> None:
    foot, beside = line(700, 1320, 200, 16), line(100, 1320, 300, 15)
    body = paragraph(100, 120, 800, 36)
    page = drawn([foot, beside, *body])
    cv2.line(page, (100, 1310), (260, 1310), BLACK, 2)
    assert kind_of(beside, page, [beside, *body]) is RegionKind.FOOTNOTE
    assert kind_of(beside, page, [foot, beside, *body]) is RegionKind.FOOTER


def test_three_plain_lines_are_no_title_whatever_the_network_says() -> None:
    for count, kind in ((2, RegionKind.PARAGRAPH_TITLE), (3, RegionKind.TEXT)):
        address, text = paragraph(100, 200, 220, count), paragraph(100, 400, 800, 12)
        box = LayoutBox("title", 0.9, Box(100, 200, 320, 200 + 28 * count))
        lines = [*address, *text]
        assert kind_of(address[0], drawn(lines), lines, [box]) is kind


def test_what_is_nearly_centred_on_other_text_is_no_title() -> None:
    text = paragraph(100, 120, 500, 12)
    for left, kind in ((265, RegionKind.PARAGRAPH_TITLE), (285, RegionKind.TEXT)):
        words = line(left, 60, 200)
        box = LayoutBox("title", 0.9, words.box)
        assert kind_of(words, drawn([words, *text]), [words, *text], [box]) is kind


def test_a_rule_below_it_speaks_for_a_header() -> None:
    head = line(100, 66, 300)
    lines = [head, *BODY]
    page = drawn(lines)
    assert kind_of(head, page, lines) is not RegionKind.HEADER
    cv2.line(page, (100, 94), (900, 94), BLACK, 2)
    assert kind_of(head, page, lines) is RegionKind.HEADER


def test_notes_go_on_below_the_first() -> None:
    first, second = line(100, 1230, 700, 15), line(100, 1282, 500, 15)
    lines = [*BODY, first, line(100, 1250, 700, 15), second]
    page = drawn(lines)
    cv2.line(page, (100, 1215), (260, 1215), BLACK, 2)
    assert kind_of(first, page, lines) is RegionKind.FOOTNOTE
    assert kind_of(second, page, lines) is RegionKind.FOOTNOTE


def test_an_underline_begins_no_notes() -> None:
    blank, small = line(100, 1195, 160), line(100, 1240, 500, 15)
    lines = [*paragraph(100, 120, 800, 38), blank, small]
    page = drawn(lines)
    cv2.line(page, (110, 1214), (240, 1214), BLACK, 2)
    assert kind_of(small, page, lines) is not RegionKind.FOOTNOTE


def test_a_few_words_beside_the_text_are_a_side_note() -> None:
    note = line(930, 500, 60)
    assert kind_of(note, drawn([note, *BODY]), [note, *BODY]) is RegionKind.ASIDE_TEXT


def test_a_vertical_line_in_the_side_margin_stands_aside() -> None:
    spine = line(20, 300, 20, 500)
    assert kind_of(spine, drawn([spine, *BODY]), [spine, *BODY]) is RegionKind.ASIDE_TEXT


def test_a_watermark_across_the_page_stands_aside() -> None:
    mark = Turn(-40, (500, 600)).line(line(300, 580, 400, 40))
    assert kind_of(mark, drawn(BODY), [mark, *BODY]) is RegionKind.ASIDE_TEXT


def framed(words: Sequence[TextLine]) -> RgbImage:
    page = drawn([*words, *paragraph(100, 700, 800, 8)])
    cv2.circle(page, (350, 330), 140, BLACK, 5)
    cv2.line(page, (220, 330), (480, 330), BLACK, 5)
    return page


def test_a_drawing_that_the_network_does_not_see_is_a_picture_and_with_words_a_chart() -> None:
    text = paragraph(100, 700, 800, 8)
    assert kinds(analyzer_of(SayingEngine(text)).analyze(framed([]))) == [
        RegionKind.IMAGE,
        RegionKind.TEXT,
    ]
    words = [line(x, y, 60) for x in (260, 370) for y in (270, 370)]
    layout = analyzer_of(SayingEngine([*words, *text])).analyze(framed(words))
    assert kinds(layout) == [RegionKind.CHART, RegionKind.TEXT]
    assert set(layout.regions[0].lines) == set(words)


def test_a_photograph_leaves_the_caption_in_its_box_out() -> None:
    caption = line(240, 490, 200)
    page = drawn([caption])
    noise = np.random.default_rng(0).integers(0, 2, (280, 300, 1)) * 255
    page[180:460, 200:500] = noise
    seen = LayoutBox("figure", 0.9, Box(195, 175, 505, 520))
    layout = analyzer_of(SayingEngine([caption], [seen])).analyze(page)
    (picture,) = [region for region in layout.regions if region.kind is RegionKind.IMAGE]
    assert picture.lines == ()
    assert picture.box.bottom < 480


def test_running_text_that_the_network_takes_for_a_formula_is_text() -> None:
    text = paragraph(100, 100, 800, 8)
    seen = LayoutBox("equation", 0.9, Box(98, 200, 904, 250))
    assert kinds(analyzed(text, [seen])) == [RegionKind.TEXT]
