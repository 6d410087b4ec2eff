"""Rows of cells among the lines of a page, and running text, which is none."""

from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import TextLine
from layout_stage.fusion.prose import prose_lines, prose_share
from layout_stage.fusion.row_groups import find_row_groups
from layout_stage.fusion.rows import rows_of
from tests.layout_stage.pages import EM, line, paragraph


@st.composite
def any_line(draw: st.DrawFn) -> TextLine:
    left, top = draw(st.integers(0, 900)), draw(st.integers(0, 900))
    return line(left, top, draw(st.integers(30, 400)), draw(st.integers(10, 20)))


def full_row(y: float) -> list[TextLine]:
    return [line(x, y, 60) for x in (120, 320, 520)]


@given(st.lists(any_line(), max_size=20, unique=True))
def test_each_line_is_in_one_row_whose_cells_run_from_left_to_right(lines: list[TextLine]) -> None:
    rows = rows_of(lines)
    held = [cell for row in rows for cell in row.cells]
    assert sorted(held, key=lines.index) == lines
    assert all(row.cells == tuple(sorted(row.cells, key=lambda cell: cell.box.left)) for row in rows)


@given(st.lists(any_line(), max_size=20, unique=True))
def test_no_line_is_in_two_groups_and_running_text_in_none(lines: list[TextLine]) -> None:
    prose = prose_lines(lines, [])
    held = [cell for group in find_row_groups(lines, prose, [], EM) for cell in group.lines]
    assert len(held) == len(set(held))
    assert not prose & set(held)


def test_a_cell_that_wraps_stays_in_its_group_and_a_third_lone_row_ends_it() -> None:
    upper, lower = full_row(100), full_row(190)
    wrapped = [line(120, 130, 60), line(120, 160, 60)]
    (group,) = find_row_groups([*upper, *wrapped, *lower], frozenset(), [], EM)
    assert len(group.rows) == 4
    more = [line(120, 190, 60), line(120, 220, 60)]
    upper = [*full_row(70), *upper]
    below = [*full_row(250), *full_row(280)]
    first, second = find_row_groups([*upper, *wrapped, *more, *below], frozenset(), [], EM)
    assert (len(first.rows), len(second.rows)) == (2, 2)


def test_a_gap_that_goes_on_beside_running_text_is_no_gap_of_a_table() -> None:
    heads, right = [line(100, y, 60) for y in (100, 130)], [line(440, y, 60) for y in range(100, 300, 30)]
    assert len(find_row_groups([*heads, *right], frozenset(), [], EM)) == 1
    text = paragraph(100, 160, 300, 6)
    lines = [*heads, *right, *text]
    assert find_row_groups(lines, prose_lines(lines, []), [], EM) == []


def test_long_lines_far_apart_run_on_unless_short_ones_stand_beside_them() -> None:
    long = [line(100, 100 + 2 * EM * i, 400) for i in range(4)]
    assert prose_lines(long, []) == frozenset(long)
    short = [line(600, 100 + 2 * EM * i, 60) for i in range(4)]
    assert prose_lines([*long, *short], []) == frozenset()


def test_the_share_of_running_text_is_by_length() -> None:
    text, cell = line(0, 0, 300), line(0, 100, 100)
    assert prose_share([text, cell], frozenset({text})) == 0.75
    assert prose_share([], frozenset()) == 0
