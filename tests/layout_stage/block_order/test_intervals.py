"""Intervals, and the white between them."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box
from layout_stage.block_order.intervals import covered, covered_area, distance, hollows, parted

intervals = st.tuples(st.integers(0, 100), st.integers(1, 30)).map(lambda it: (float(it[0]), float(sum(it))))


@given(st.lists(intervals, max_size=15))
def test_sets_have_white_between_them_and_lose_nothing(given_intervals: list[tuple[float, float]]) -> None:
    sets = parted(given_intervals, lambda interval: interval)
    assert sorted(interval for part in sets for interval in part) == sorted(given_intervals)
    for before, after in pairwise(sets):
        assert max(end for _, end in before) + 1 <= min(start for start, _ in after)


@given(st.lists(intervals, max_size=15))
def test_a_hollow_is_less_covered_than_what_is_on_both_sides(
    given_intervals: list[tuple[float, float]],
) -> None:
    def depth(x: float) -> int:
        return sum(1 for start, end in given_intervals if start < x < end)

    for start, end in hollows(given_intervals):
        inside = depth((start + end) / 2)
        assert depth(start - 0.25) > inside < depth(end + 0.25)


def test_the_gutter_of_two_columns_is_a_hollow() -> None:
    assert hollows([(0, 100), (0, 80), (120, 200), (120, 200)]) == [(100, 120)]


def test_the_white_before_and_after_all_is_no_hollow() -> None:
    assert hollows([(50, 100)]) == []
    assert hollows([]) == []


def test_touching_boxes_are_not_parted() -> None:
    assert parted([(0.0, 10.0), (10.0, 20.0)], lambda interval: interval) == [[(0.0, 10.0), (10.0, 20.0)]]


def test_shares_are_of_the_smaller_one() -> None:
    assert covered((0, 10), (5, 105)) == 0.5
    assert covered_area(Box(0, 0, 10, 10), Box(0, 0, 100, 100)) == 1


def test_distance_is_white_across_plus_white_down() -> None:
    assert distance(Box(0, 0, 10, 10), Box(13, 14, 20, 20)) == 7
    assert distance(Box(0, 0, 10, 10), Box(5, 5, 20, 20)) == 0
