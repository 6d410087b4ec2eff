"""Strips of white between the columns of a page."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box
from layout_stage.gutters import BoxField, free_intervals
from tests.layout_stage.pages import EM, line

ROWS = [100 + 26 * i for i in range(6)]
LEFT, RIGHT = [line(100, y, 300).box for y in ROWS], [line(440, y, 300).box for y in ROWS]


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    left, top = draw(st.integers(0, 900)), draw(st.integers(0, 900))
    return Box(left, top, left + draw(st.integers(1, 300)), top + draw(st.integers(1, 60)))


@given(st.lists(boxes(), max_size=15), st.integers(1, 40))
def test_free_intervals_lie_between_boxes_and_meet_none(page: list[Box], least: int) -> None:
    found = free_intervals(page, least)
    assert all(low_b >= high_a for (_, high_a), (low_b, _) in pairwise(found))
    for low, high in found:
        assert high - low >= least
        assert not any(box.left < high and box.right > low for box in page)
        assert any(box.right == low for box in page)
        assert any(box.left == high for box in page)


@given(st.lists(boxes(), min_size=1, max_size=15), boxes())
def test_a_strip_is_at_least_as_high_as_its_row(page: list[Box], row: Box) -> None:
    strip = BoxField(page).strip((row.left, row.right), row, EM)
    assert strip.top <= row.top
    assert strip.bottom >= row.bottom
    assert row.left <= strip.left <= strip.right <= row.right


def test_a_gutter_goes_on_as_far_as_there_is_text_on_both_sides() -> None:
    field = BoxField([*LEFT, *RIGHT[:4]])
    strip = field.strip((400, 440), Box(100, ROWS[2], 740, ROWS[2] + EM), EM)
    assert (strip.top, strip.bottom) == (ROWS[0], ROWS[3] + EM)


def test_a_line_that_crosses_a_gutter_ends_it_and_one_that_reaches_in_narrows_it() -> None:
    across, longer = line(100, 74, 640).box, Box(100, ROWS[4], 420, ROWS[4] + EM)
    field = BoxField([across, *LEFT[:4], longer, LEFT[5], *RIGHT])
    strip = field.strip((400, 440), Box(100, ROWS[2], 740, ROWS[2] + EM), EM)
    assert (strip.left, strip.right) == (400, 440)
    assert (strip.top, strip.bottom) == (ROWS[0], ROWS[5] + EM)


@pytest.mark.parametrize(("reach", "last"), [(430, 5), (438, 3)])
def test_a_sliver_of_white_is_no_gutter(reach: float, last: int) -> None:
    longer = Box(100, ROWS[4], reach, ROWS[4] + EM)
    field = BoxField([*LEFT[:4], longer, LEFT[5], *RIGHT])
    strip = field.strip((400, 440), Box(100, ROWS[2], 740, ROWS[2] + EM), EM)
    assert strip.bottom == ROWS[last] + EM


def test_a_wall_ends_a_gutter_without_being_text() -> None:
    rule = Box(90, ROWS[3] - 4, 750, ROWS[3] - 2)
    strip = BoxField([*LEFT, *RIGHT], [rule]).strip((400, 440), Box(100, ROWS[1], 740, ROWS[1] + EM), EM)
    assert strip.bottom == ROWS[2] + EM


def test_lines_above_and_below_end_at_a_place_where_none_of_them_goes_on() -> None:
    row = Box(100, ROWS[2], 480, ROWS[2] + EM)
    assert BoxField([LEFT[1], LEFT[3]]).ends_at(400, row, EM)
    assert not BoxField([LEFT[1], line(100, ROWS[3], 380).box]).ends_at(400, row, EM)
    assert not BoxField([LEFT[1]]).ends_at(400, row, EM)
