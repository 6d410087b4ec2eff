import numpy as np
import pytest

from arcscribe.types import TextLine
from tests.vlm_stage.builders import text_line
from vlm_stage.engines.pp_ocr.line_images import (
    MAX_LINE_WIDTH,
    line_images,
    network_input,
    padded_width,
    scale_line,
)

PAGE = np.full((400, 400, 3), 255, np.uint8)


def test_a_tilted_quadrangle_becomes_a_rectangle() -> None:
    polygon = ((100.0, 100.0), (300.0, 150.0), (290.0, 190.0), (90.0, 140.0))
    (image,) = line_images(PAGE, TextLine(text_line(90, 100, 300, 190).box, polygon, 1.0))
    assert image.shape == (41, 206, 3)


def test_a_column_is_turned_and_what_may_be_either_is_given_both_ways() -> None:
    (column,) = line_images(PAGE, text_line(100, 0, 130, 300))
    assert column.shape == (30, 300, 3)
    assert [image.shape for image in line_images(PAGE, text_line(100, 0, 120, 40))] == [
        (20, 40, 3),
        (40, 20, 3),
    ]


def test_a_column_is_turned_anticlockwise() -> None:
    page = PAGE.copy()
    page[0:30, 100:130] = (255, 0, 0)
    (column,) = line_images(page, text_line(100, 0, 130, 300))
    assert tuple(column[15, 15]) == (255, 0, 0)
    assert tuple(column[15, 285]) == (255, 255, 255)


def test_lines_are_scaled_to_one_height_and_overlong_ones_are_squeezed() -> None:
    assert scale_line(np.zeros((24, 100, 3), np.uint8)).shape == (48, 200, 3)
    assert scale_line(np.zeros((2, 4000, 3), np.uint8)).shape == (48, MAX_LINE_WIDTH, 3)


@pytest.mark.parametrize(
    ("width", "padded"), [(1, 32), (32, 32), (33, 64), (320, 320), (321, 384), (1281, 1408)]
)
def test_widths_are_rounded_up_to_few(width: int, padded: int) -> None:
    assert padded_width(width) == padded


def test_no_line_needs_more_than_forty_shapes() -> None:
    assert len({padded_width(width) for width in range(1, MAX_LINE_WIDTH + 1)}) <= 40


def test_the_network_sees_blue_green_red_from_minus_one_to_one_and_nought_beyond_the_line() -> None:
    red = np.zeros((48, 10, 3), np.uint8)
    red[..., 0] = 255
    batch = network_input([red], 32)
    assert batch.shape == (1, 3, 48, 32)
    assert [float(channel[0, 0]) for channel in batch[0]] == pytest.approx([-1, -1, 1], abs=1e-6)
    assert not batch[..., 10:].any()
