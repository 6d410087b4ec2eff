"""Cutting boxes into bands and columns."""

from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box
from layout_stage.block_order.xy_cut import xy_cut

GRID = [Box(0, 0, 40, 40), Box(50, 0, 90, 40), Box(0, 50, 40, 90), Box(50, 50, 90, 90)]

boxes = st.tuples(st.integers(0, 90), st.integers(0, 90), st.integers(0, 40), st.integers(0, 40)).map(
    lambda it: Box(it[0], it[1], it[0] + it[2], it[1] + it[3])
)


@given(st.lists(boxes, max_size=20), st.booleans())
def test_every_box_comes_once(page: list[Box], bands_first: bool) -> None:
    assert sorted(xy_cut(page, bands_first=bands_first)) == list(range(len(page)))


def test_a_grid_is_read_in_bands_or_in_columns() -> None:
    assert xy_cut(GRID, bands_first=True) == [0, 1, 2, 3]
    assert xy_cut(GRID, bands_first=False) == [0, 2, 1, 3]


def test_columns_in_a_band_are_cut_into_bands_again() -> None:
    page = [Box(0, 0, 90, 10), Box(50, 50, 90, 90), Box(50, 20, 90, 40), Box(0, 20, 40, 90)]
    assert xy_cut(page, bands_first=True) == [0, 3, 2, 1]


def test_what_cannot_be_cut_is_read_from_where_it_starts() -> None:
    crossed = [Box(10, 0, 20, 50), Box(0, 10, 50, 20)]
    assert xy_cut(crossed, bands_first=True) == [1, 0]
    assert xy_cut(crossed, bands_first=False) == [0, 1]
