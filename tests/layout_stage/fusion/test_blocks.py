"""Lines put together to paragraphs."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box, TextLine
from layout_stage.fusion.blocks import find_blocks
from layout_stage.fusion.style import Style
from tests.layout_stage.pages import EM, line, paragraph

PLAIN = Style("", bold=False, size=0.8 * EM, thickness=EM)
BOLD = Style("", bold=True, size=0.8 * EM, thickness=EM)


def blocks_of(
    lines: Sequence[TextLine], barriers: Sequence[Box] = (), bold: Sequence[TextLine] = ()
) -> list[list[TextLine]]:
    styles = {item: BOLD if item in bold else PLAIN for item in lines}
    return [list(block) for block in find_blocks(lines, barriers, styles)]


@st.composite
def any_line(draw: st.DrawFn) -> TextLine:
    return line(
        draw(st.integers(0, 900)),
        draw(st.integers(0, 900)),
        draw(st.integers(5, 400)),
        draw(st.integers(5, 60)),
    )


@given(st.lists(any_line(), max_size=25, unique=True))
def test_every_line_is_in_exactly_one_block(lines: list[TextLine]) -> None:
    found = [item for block in blocks_of(lines) for item in block]
    assert sorted(found, key=lines.index) == lines


def test_a_short_line_ends_a_justified_paragraph() -> None:
    first = paragraph(100, 100, 400, 4)
    second = paragraph(100, 100 + 4 * 1.3 * EM, 400, 4)
    assert blocks_of([*first, *second]) == [first, second]


def test_an_indent_begins_a_paragraph() -> None:
    lines = [line(100, 100 + 26 * i, 400) for i in range(6)]
    lines[3] = line(140, 100 + 26 * 3, 360)
    assert blocks_of(lines) == [lines[:3], lines[3:]]


def test_centred_lines_of_many_lengths_are_one_paragraph() -> None:
    lines = [line(300 - width / 2, 100 + 26 * i, width) for i, width in enumerate((400, 340, 400, 200))]
    assert blocks_of(lines) == [lines]


def test_extra_space_begins_a_paragraph() -> None:
    upper = [line(100, 100 + 26 * i, 400) for i in range(3)]
    lower = [line(100, 200 + 26 * i, 400) for i in range(3)]
    assert blocks_of([*upper, *lower]) == [upper, lower]


def test_hanging_references_begin_at_the_outdent() -> None:
    lines = []
    for entry in range(3):
        top = 100 + 78 * entry
        lines += [line(100, top, 400), line(130, top + 26, 370), line(130, top + 52, 370)]
    assert blocks_of(lines) == [lines[0:3], lines[3:6], lines[6:9]]


def test_columns_do_not_mix() -> None:
    left, right = paragraph(100, 100, 300, 5), paragraph(430, 100, 300, 5)
    assert sorted(blocks_of([*left, *right]), key=lambda block: block[0].box.left) == [left, right]


def test_a_line_across_two_columns_stands_alone() -> None:
    title = line(100, 60, 630)
    left, right = paragraph(100, 90, 300, 5), paragraph(430, 90, 300, 5)
    assert [title] in blocks_of([title, *left, *right])


def test_a_bold_heading_is_parted_from_the_text_below_it() -> None:
    heading, text = line(100, 100, 150), [line(100, 126 + 26 * i, 400) for i in range(4)]
    assert blocks_of([heading, *text], bold=[heading]) == [[heading], text]


def test_a_full_line_of_bold_words_within_a_paragraph_does_not_part_it() -> None:
    text = [line(100, 100 + 26 * i, 400) for i in range(5)]
    assert blocks_of(text, bold=[text[2]]) == [text]


def test_a_rule_parts_paragraphs() -> None:
    lines = [line(100, 100, 400), line(100, 126, 400), line(100, 152, 400)]
    rule = Box(90, 122, 510, 124)
    assert blocks_of(lines, [rule]) == [lines[:1], lines[1:]]


def test_vertical_lines_run_from_right_to_left() -> None:
    columns = [line(600 - 30 * i, 100, EM, 500) for i in range(4)]
    assert blocks_of(columns[::-1]) == [columns]
