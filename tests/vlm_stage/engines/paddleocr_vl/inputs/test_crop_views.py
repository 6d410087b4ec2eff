import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_stage.engines.paddleocr_vl.inputs.crop_views import trimmed_to_ink, view_for
from vlm_stage.engines.paddleocr_vl.inputs.images import MAX_ASPECT_RATIO, ImageSettings, smart_resize
from vlm_stage.engines.paddleocr_vl.inputs.prompts import Task


def page(
    height: int = 40, width: int = 60, grey: int = 250
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.full((height, width, 3), grey, np.uint8)


@given(st.integers(0, 30), st.integers(0, 50), st.integers(1, 10), st.integers(1, 10), st.integers(0, 120))
def test_a_formula_is_trimmed_to_its_ink(top: int, left: int, tall: int, wide: int, grey: int) -> None:
    pixels = page()
    pixels[top : top + tall, left : left + wide] = grey
    trimmed = trimmed_to_ink(pixels)
    assert trimmed.shape == (tall, wide, 3)
    assert (trimmed == grey).all()
    assert trimmed_to_ink(trimmed).shape == trimmed.shape


@given(st.integers(1, 4), st.integers(1, 900), st.booleans())
def test_a_formula_that_can_be_read_can_be_read_trimmed(thick: int, long: int, upright: bool) -> None:
    pixels = page(40, 960)
    pixels[20 : 20 + thick, 30 : 30 + long] = 0
    trimmed = trimmed_to_ink(pixels.transpose(1, 0, 2) if upright else pixels)
    tall, wide = trimmed.shape[:2]
    smart_resize(tall, wide, ImageSettings())
    assert {tall, wide} == ({40, 960} if long > MAX_ASPECT_RATIO * thick else {thick, long})


def test_an_empty_formula_stays_as_it_is() -> None:
    assert trimmed_to_ink(page()).shape == (40, 60, 3)


def test_faint_ink_is_ink_where_nothing_is_darker() -> None:
    pixels = page()
    pixels[10:20, 10:20] = 230
    assert trimmed_to_ink(pixels).shape == (10, 10, 3)


def test_a_small_page_is_doubled_for_spotting_and_for_nothing_else() -> None:
    assert view_for(page(), Task.SPOTTING).shape == (80, 120, 3)
    assert view_for(page(40, 1500), Task.SPOTTING).shape == (40, 1500, 3)
    assert view_for(page(), Task.OCR).shape == (40, 60, 3)


@pytest.mark.parametrize("task", Task)
def test_a_crop_without_pixels_is_left_to_be_refused(task: Task) -> None:
    assert view_for(page(0, 60), task).shape == (0, 60, 3)
