"""Pages as the networks want them."""

import tracemalloc

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from layout_stage.preprocess import layout_input, orientation_input


def coloured(height: int, width: int) -> np.ndarray:
    """Red on the left half, blue on the right."""
    page = np.zeros((height, width, 3), np.uint8)
    page[:, : width // 2, 0] = 255
    page[:, width // 2 :, 2] = 255
    return page


def test_a_strip_takes_the_orientation_network_no_more_memory_than_a_page() -> None:
    tracemalloc.start()
    orientation_input(np.zeros((50_000, 4, 3), np.uint8))
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_a_page_is_stretched_to_the_layout_networks_size_red_first() -> None:
    batch = layout_input(coloured(1400, 1000))
    assert batch.shape == (1, 3, 800, 608)
    assert batch.dtype == np.float32
    assert batch[0, 0, 400, 10] > batch[0, 0, 400, 600]
    assert batch[0, 2, 400, 10] < batch[0, 2, 400, 600]


def test_white_and_black_are_as_far_from_imagenets_mean_as_its_deviation_says() -> None:
    white, black = (layout_input(np.full((8, 8, 3), value, np.uint8)) for value in (255, 0))
    assert np.allclose(white[0, :, 0, 0], [(1 - 0.485) / 0.229, (1 - 0.456) / 0.224, (1 - 0.406) / 0.225])
    assert np.allclose(black[0, :, 0, 0], [-0.485 / 0.229, -0.456 / 0.224, -0.406 / 0.225])


def test_the_orientation_network_sees_the_middle_of_a_page() -> None:
    page = np.zeros((600, 300, 3), np.uint8)
    page[230:370, 80:220] = 255
    square = orientation_input(page)[0, 0]
    middle = square > 0
    rows, columns = np.flatnonzero(middle.any(axis=1)), np.flatnonzero(middle.any(axis=0))
    assert abs((rows[0] + rows[-1]) / 2 - 111.5) <= 1
    assert abs((columns[0] + columns[-1]) / 2 - 111.5) <= 1


@settings(deadline=None)
@given(st.integers(1, 900), st.integers(1, 900))
def test_any_page_fits_the_orientation_network(height: int, width: int) -> None:
    assert orientation_input(np.zeros((height, width, 3), np.uint8)).shape == (1, 3, 224, 224)
