import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from layout_stage.detection.corners import without_dents

SQUARE = [(0, 0), (0, 100), (100, 100), (100, 0)]
"""Anticlockwise as one sees the page, like the outlines that OpenCV finds."""


def corners(*points: tuple[float, float], longest: float = 1e6) -> list[tuple[float, ...]]:
    return [tuple(point) for point in without_dents(np.array(points, float), longest).tolist()]


def test_a_square_stays_a_square() -> None:
    assert corners(*SQUARE) == SQUARE


def test_a_single_dent_goes() -> None:
    assert corners(*SQUARE[:2], (50, 90), *SQUARE[2:]) == SQUARE


def test_a_dent_comes_back_where_its_side_is_long() -> None:
    dent = (50, 90)
    assert dent in corners(*SQUARE[:2], dent, *SQUARE[2:], longest=200)


def test_two_flat_corners_inwards_are_a_step() -> None:
    step = [(30, 95), (70, 95)]
    assert corners(*SQUARE[:2], *step, *SQUARE[2:]) == [*SQUARE[:2], *step, *SQUARE[2:]]


def test_a_step_over_the_lists_end_is_none_and_nor_is_any_other_as_in_paddlex() -> None:
    bottom = [(30, 95), (70, 95)]
    found = corners((30, 5), (0, 0), (0, 100), *bottom, (100, 100), (100, 0), (70, 5))
    assert found == SQUARE


def test_a_long_side_gets_back_no_more_corners_than_it_needs() -> None:
    bottom = [(20, 97), (40, 95), (60, 95), (80, 97)]
    outline = [(30, 5), (0, 0), (0, 100), *bottom, (100, 100), (100, 0), (70, 5)]
    found = corners(*outline, longest=100)
    assert [point for point in found if point in bottom] == bottom[:3]


def test_a_corner_of_half_a_right_angle_moves_inwards() -> None:
    found = corners((0, 0), (0, 100), (100, 100))
    assert (0, 0) not in found
    assert (0, 100) in found


@given(
    st.lists(st.tuples(*[st.integers(-50, 50)] * 2), min_size=1, max_size=12, unique=True),
    st.floats(-10, 500),
)
def test_any_outline_gives_finite_corners_and_no_more(points: list[tuple[int, int]], longest: float) -> None:
    found = without_dents(np.array(points, float).reshape(-1, 2), longest)
    assert len(found) <= len(points)
    assert np.isfinite(found).all()
