"""The order of boxes on a page."""

from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box
from layout_stage.block_order.reading_order import reading_order
from layout_stage.parts import turned
from tests.layout_stage.pages import EM

TITLE = Box(100, 50, 900, 90)
LEFT = [Box(100, 120, 480, 400), Box(100, 430, 480, 900)]
RIGHT = [Box(520, 120, 900, 600), Box(520, 630, 900, 900)]

coordinates = st.floats(0, 1000)
sides = st.floats(1, 500)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    left, top = draw(coordinates), draw(coordinates)
    return Box(left, top, left + draw(sides), top + draw(sides))


@given(st.lists(boxes(), max_size=20))
def test_the_order_is_a_permutation(page: list[Box]) -> None:
    assert sorted(reading_order(page, EM)) == list(range(len(page)))


@given(st.permutations(range(5)))
def test_the_order_in_which_boxes_come_does_not_matter(shuffled: list[int]) -> None:
    page = [TITLE, *LEFT, *RIGHT]
    given_order = [page[i] for i in shuffled]
    assert [given_order[i] for i in reading_order(given_order, EM)] == page


def test_columns_are_read_one_after_the_other() -> None:
    page = [RIGHT[1], LEFT[1], RIGHT[0], LEFT[0]]
    assert [page[i] for i in reading_order(page, EM)] == [*LEFT, *RIGHT]


def test_three_columns_are_read_from_left_to_right() -> None:
    columns = [[Box(x, y, x + 260, y + 180) for y in (100, 300, 500)] for x in (50, 330, 610)]
    page = [box for row in zip(*columns, strict=True) for box in row]
    assert [page[i] for i in reading_order(page, EM)] == [box for column in columns for box in column]


def test_a_gap_that_happens_to_run_across_both_columns_does_not_tear_them_apart() -> None:
    page = [
        Box(100, 100, 480, 300),
        Box(520, 100, 900, 300),
        Box(100, 330, 480, 600),
        Box(520, 330, 900, 600),
    ]
    assert reading_order(page, EM) == (0, 2, 1, 3)


def test_a_title_between_two_sets_of_columns_ends_the_first() -> None:
    upper = [Box(100, 100, 480, 300), Box(520, 100, 900, 300)]
    title = Box(100, 340, 900, 380)
    lower = [Box(100, 400, 480, 600), Box(520, 400, 900, 600)]
    page = [lower[1], title, upper[1], lower[0], upper[0]]
    assert [page[i] for i in reading_order(page, EM)] == [*upper, title, *lower]


def test_a_rule_across_the_columns_ends_them() -> None:
    page = [
        Box(100, 100, 480, 300),
        Box(520, 100, 900, 300),
        Box(100, 330, 480, 600),
        Box(520, 330, 900, 600),
    ]
    rule = Box(100, 314, 900, 316)
    assert reading_order(page, EM, [rule]) == (0, 1, 2, 3)


def test_a_short_heading_goes_with_the_wide_text_below_it() -> None:
    columns = [Box(100, 100, 480, 300), Box(520, 100, 900, 300)]
    heading, text = Box(100, 360, 300, 390), Box(100, 400, 900, 500)
    page = [*columns, heading, text]
    assert reading_order(page, EM) == (0, 1, 2, 3)


def test_a_column_that_runs_on_keeps_its_neighbour_although_a_wide_box_closes_a_gutter() -> None:
    upper = [Box(100, 100, 340, 300), Box(370, 100, 610, 300), Box(640, 100, 880, 300)]
    lower = [Box(100, 330, 340, 600), Box(370, 330, 880, 600)]
    page = [*upper, *lower]
    assert reading_order(page, EM) == (0, 3, 1, 2, 4)


def test_turned_columns_are_read_from_right_to_left() -> None:
    columns = [Box(x, 100, x + 30, 700) for x in (100, 150, 200)]
    assert reading_order([turned(box) for box in columns], EM) == (2, 1, 0)


def test_boxes_that_interlock_are_still_all_read_from_the_top() -> None:
    pinwheel = [Box(0, 0, 600, 200), Box(620, 0, 800, 600), Box(200, 620, 800, 800), Box(0, 220, 180, 800)]
    order = reading_order(pinwheel, EM)
    assert order[0] == 0
    assert sorted(order) == [0, 1, 2, 3]


def test_where_there_are_only_pictures_and_single_rows_they_are_read_row_by_row() -> None:
    grid = [Box(x, y, x + 300, y + 200) for y in (100, 350) for x in (100, 450)]
    assert reading_order(grid, EM, cells=range(4)) == (0, 1, 2, 3)
    assert reading_order(grid, EM, cells=range(3)) == (0, 2, 1, 3)


def test_a_box_that_reaches_over_two_parts_those_above_it_from_those_below() -> None:
    upper, lower = Box(0, 0, 380, 100), Box(420, 500, 800, 600)
    left, right = Box(0, 260, 100, 700), Box(700, 0, 800, 340)
    page = [right, lower, Box(90, 150, 710, 250), left, upper]
    assert reading_order(page, EM) == (4, 0, 2, 3, 1)


def test_hundreds_of_boxes_that_nothing_parts_are_read_from_the_top() -> None:
    page = [Box(i, 2 * i, i + 900, 2 * i + 900) for i in range(400)]
    assert reading_order(page, EM) == tuple(range(400))


def test_boxes_nested_like_an_onions_skins_are_all_read() -> None:
    page = [
        Box(20 * i, 20 * i, 4000, 20 * i + 18) if i % 2 else Box(20 * i, 20 * i, 20 * i + 18, 4000)
        for i in range(190)
    ]
    assert sorted(reading_order(page, EM)) == list(range(190))
