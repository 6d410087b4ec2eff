import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.geometry import shifted_line, turn_upright
from arcscribe.types import Box, TextLine

WHITE = [255, 255, 255]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_page_is_turned_clockwise(rotation: int) -> None:
    pixels = np.zeros((4, 6, 3), np.uint8)
    pixels[0, 0] = 255  # top left; a quarter clockwise takes it to the top right
    upright = turn_upright(pixels, rotation)
    height, width = upright.shape[:2]
    corner = {0: (0, 0), 90: (0, width - 1), 180: (height - 1, width - 1), 270: (height - 1, 0)}[rotation]
    assert upright[corner].tolist() == WHITE
    assert upright.flags.c_contiguous


def test_a_page_cannot_be_turned_a_little() -> None:
    with pytest.raises(ValueError, match="45"):
        turn_upright(np.zeros((4, 6, 3), np.uint8), 45)


@given(st.integers(-999, 999), st.integers(-999, 999), st.booleans())
def test_a_shifted_line_keeps_its_shape_and_all_else(dx: int, dy: int, vertical: bool) -> None:
    line = TextLine(Box(10, 20, 110, 50), ((10, 20), (110, 25), (110, 50), (10, 45)), 0.7, vertical)
    shifted = shifted_line(line, dx, dy)
    assert shifted.box == line.box.shifted(dx, dy)
    assert shifted.polygon == tuple((x + dx, y + dy) for x, y in line.polygon)
    assert shifted_line(shifted, -dx, -dy) == line
