"""Intervals, and the white between them."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box
from layout_stage.block_order.intervals import covered, covered_area, distance, parted

intervals = st.tuples(st.integers(0, 100), st.integers(1, 30)).map(lambda it: (float(it[0]), float(sum(it))))


@given(st.lists(intervals, max_size=15))
def test_sets_have_white_between_them_and_lose_nothing(given_intervals: list[tuple[float, float]]) -> None:
    sets = parted(given_intervals, lambda interval: interval)
    assert sorted(interval for part in sets for interval in part) == sorted(given_intervals)
    for before, after in pairwise(sets):
        assert max(end for _, end in before) + 1 <= min(start for start, _ in after)


def test_touching_boxes_are_not_parted() -> None:
    assert parted([(0.0, 10.0), (10.0, 20.0)], lambda interval: interval) == [[(0.0, 10.0), (10.0, 20.0)]]


def test_shares_are_of_the_smaller_one() -> None:
    assert covered((0, 10), (5, 105)) == 0.5
    assert covered_area(Box(0, 0, 10, 10), Box(0, 0, 100, 100)) == 1


def test_distance_is_white_across_plus_white_down() -> None:
    assert distance(Box(0, 0, 10, 10), Box(13, 14, 20, 20)) == 7
    assert distance(Box(0, 0, 10, 10), Box(5, 5, 20, 20)) == 0
