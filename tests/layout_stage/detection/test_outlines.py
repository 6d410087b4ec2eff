import numpy as np
import pytest

from arcscribe.types import Box
from layout_stage.detection.outlines import outline
from layout_stage.parts import PageSize

PAGE = PageSize(100, 100)
WHOLE = Box(0, 0, 100, 100)
LONGEST = 1e6


def test_an_outline_is_in_pixels_of_the_page() -> None:
    mask = np.zeros((50, 50), np.int32)
    mask[10:20, 20:30] = 1
    found = outline(mask, Box(30, 10, 80, 60), PAGE, LONGEST)
    assert found is not None
    assert (found.min(axis=0).tolist(), found.max(axis=0).tolist()) == ([40, 20], [59, 39])


@pytest.mark.parametrize("large", [slice(5, 60), slice(40, 95)])
def test_of_two_pieces_the_larger_is_outlined(large: slice) -> None:
    mask = np.zeros((100, 100), bool)
    mask[large, 10:90] = True
    small = slice(80, 95) if large.start < 10 else slice(5, 20)
    mask[small, 10:20] = True
    found = outline(mask, WHOLE, PAGE, LONGEST)
    assert found is not None
    assert (found[:, 1].min(), found[:, 1].max()) == (large.start, large.stop - 1)


def test_a_speck_that_is_lost_in_a_small_box_is_nothing() -> None:
    mask = np.zeros((1000, 1000), bool)
    mask[3, 3] = True
    assert outline(mask, Box(0, 0, 10, 10), PAGE, LONGEST) is None


@pytest.mark.parametrize(
    "box", [Box(-100, 0, 101, 50), Box(0, -100, 50, 101), Box(9, 9, 9, 50), Box(9, 9, 50, 9)]
)
def test_a_box_of_no_size_or_of_many_pages_has_no_outline(box: Box) -> None:
    assert outline(np.ones((100, 100), bool), box, PAGE, LONGEST) is None


def test_a_box_outside_the_page_has_no_outline() -> None:
    assert outline(np.ones((100, 100), bool), Box(120, 10, 150, 50), PAGE, LONGEST) is None
