"""Areas of block layout: which parts are in one, and in which order areas are read."""

from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box
from layout_stage.block_order.area_order import area_order
from layout_stage.block_order.areas import find_areas

LEFT, RIGHT = Box(100, 100, 480, 900), Box(520, 100, 900, 900)

boxes = st.tuples(st.integers(0, 90), st.integers(0, 90), st.integers(0, 40), st.integers(0, 40)).map(
    lambda it: Box(it[0], it[1], it[0] + it[2], it[1] + it[3])
)


def members(parts: list[Box], found: list[Box]) -> list[tuple[int, ...]]:
    return [area.members for area in find_areas(parts, found)]


@given(st.lists(boxes, max_size=15), st.lists(boxes, max_size=5))
def test_every_part_is_in_one_area(parts: list[Box], found: list[Box]) -> None:
    assert sorted(i for area in members(parts, found) for i in area) == list(range(len(parts)))


def test_without_block_layout_a_page_is_one_area() -> None:
    assert members([LEFT, RIGHT], []) == [(0, 1)]


def test_a_small_area_takes_its_parts_before_the_large_one_around_it() -> None:
    assert sorted(members([LEFT, RIGHT], [Box(0, 0, 1000, 1000), RIGHT])) == [(0,), (1,)]


def test_an_area_without_parts_is_none() -> None:
    assert members([LEFT], [Box(2000, 0, 3000, 1000)]) == [(0,)]


def test_parts_that_are_left_out_above_and_below_an_area_are_two_areas() -> None:
    above, below = Box(100, 0, 900, 80), Box(100, 950, 900, 1000)
    assert members([above, LEFT, below], [LEFT]) == [(1,), (0,), (2,)]


def ordered(*areas: Box) -> list[int]:
    return area_order(areas, [(area.left**2 + area.top**2) ** 0.5 for area in areas])


@given(st.lists(boxes, max_size=12))
def test_every_area_is_read_once(page: list[Box]) -> None:
    assert sorted(ordered(*page)) == list(range(len(page)))


def test_areas_beside_each_other_are_columns_within_their_band() -> None:
    lower = [Box(520, 950, 900, 1200), Box(100, 950, 480, 1200)]
    assert ordered(RIGHT, LEFT, *lower) == [1, 0, 3, 2]


def test_areas_that_overlap_are_read_from_the_corner_outwards() -> None:
    assert ordered(Box(400, 400, 600, 600), Box(100, 100, 900, 900), Box(100, 950, 900, 990)) == [1, 0, 2]


def test_an_area_takes_in_what_lies_between_its_parts() -> None:
    below = Box(490, 850, 510, 900)
    assert members([LEFT, RIGHT, below], [Box(100, 100, 900, 700)]) == [(0, 1, 2)]


def test_an_area_that_closes_a_gutter_is_read_where_its_corner_puts_it() -> None:
    left, right = [Box(0, 0, 100, 50), Box(0, 60, 110, 150)], [Box(120, 0, 220, 80), Box(160, 90, 220, 200)]
    closing = Box(0, 180, 150, 250)
    assert ordered(*right, closing, *left) == [3, 4, 0, 2, 1]
