"""Strips much taller than wide are read in windows, each line by one of them."""

from hypothesis import given
from hypothesis import strategies as st

from arcscribe.inference.text_detector import windows
from arcscribe.types import Box, TextLine

SIDES = st.integers(min_value=32, max_value=3000)


def line_at(top: float, bottom: float) -> TextLine:
    box = Box(0, top, 20, bottom)
    return TextLine(box, box.to_polygon(), 1.0)


@given(SIDES, st.integers(min_value=1, max_value=40_000))
def test_own_rows_part_the_strip_and_windows_stay_inside_it(width: int, height: int) -> None:
    found = windows(height, width)
    assert [window.own_top for window in found] == [0, *(window.own_bottom for window in found[:-1])]
    assert found[-1].own_bottom == height
    assert all(
        0 <= window.top <= window.own_top < window.own_bottom <= window.bottom <= height for window in found
    )


@given(SIDES, st.integers(min_value=4000, max_value=40_000), st.floats(min_value=0, max_value=1))
def test_every_line_is_whole_in_the_window_that_owns_it_and_in_no_other(
    width: int, height: int, place: float
) -> None:
    thickness = width / 10
    top = place * (height - thickness)
    owners = [
        window
        for window in windows(height, width)
        if window.owns(line_at(top - window.top, top + thickness - window.top))
    ]
    assert len(owners) == 1
    assert owners[0].top <= top
    assert top + thickness <= owners[0].bottom


@given(SIDES, st.integers(min_value=1, max_value=16_000_000))
def test_there_are_few_windows_however_narrow_the_strip(width: int, pixels: int) -> None:
    assert len(windows(max(1, pixels // width), width)) <= 1000
