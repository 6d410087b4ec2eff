"""Taking a tilt out of a page and putting it back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from layout_stage.skew import Turn, straightening, tilt_of
from tests.layout_stage.pages import line, paragraph

CENTER = (400.0, 500.0)


@given(st.floats(-15, 15), st.floats(0, 800), st.floats(0, 1000))
def test_a_turn_and_its_back_leave_a_point_where_it_was(angle: float, x: float, y: float) -> None:
    turn = Turn(angle, CENTER)
    assert turn.back.point(turn.point((x, y))) == pytest.approx((x, y), abs=1e-6)


@pytest.mark.parametrize("angle", [-3.0, -0.5, 0.5, 3.0])
def test_tilted_lines_are_made_level(angle: float) -> None:
    tilted = [Turn(angle, CENTER).line(item) for item in paragraph(100, 100, 600, 10)]
    turn = straightening(tilted, 800, 1000)
    assert turn.angle == pytest.approx(-angle, abs=0.01)
    assert all(abs(tilt_of(turn.line(item))) < 0.01 for item in tilted)


def test_level_lines_need_no_turn() -> None:
    assert straightening(paragraph(100, 100, 600, 10), 800, 1000).angle == 0


def test_a_vertical_line_that_stands_upright_has_no_tilt() -> None:
    assert tilt_of(line(100, 100, 20, 400)) == 0


@pytest.mark.parametrize("angle", [0.05, 20.0])
def test_a_tilt_too_small_to_see_or_too_large_for_a_scan_is_left(angle: float) -> None:
    tilted = [Turn(angle, CENTER).line(item) for item in paragraph(100, 100, 600, 10)]
    assert straightening(tilted, 800, 1000).angle == 0


@given(st.floats(-15, 15), st.integers(0, 700), st.integers(0, 900), st.integers(30, 300))
def test_a_line_turned_there_and_back_is_where_it_was(angle: float, left: int, top: int, width: int) -> None:
    turn, item = Turn(angle, CENTER), line(left, top, width)
    back = turn.back.line(turn.line(item))
    assert np.allclose(back.polygon, item.polygon, atol=1e-6)
    assert tilt_of(turn.line(item)) == pytest.approx(angle, abs=1e-6)
