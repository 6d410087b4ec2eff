import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_stage.engines.paddleocr_vl.inputs.vision_positions import vision_positions

even = st.integers(1, 60).map(lambda half: 2 * half)


def test_the_patches_of_a_token_follow_one_another_row_by_row() -> None:
    positions = vision_positions(4, 4)
    assert positions.hw_ids[:8].tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [0, 2], [0, 3], [1, 2], [1, 3]]
    assert positions.hw_ids[8].tolist() == [2, 0]
    assert positions.hw_ids.dtype == positions.pos_idx.dtype == np.int64
    assert positions.pos_w.dtype == np.float32


def test_indices_and_weights_are_those_that_transformers_gave() -> None:
    small = vision_positions(4, 6)
    assert small.pos_idx[[0, 5, 23]].tolist() == [
        [55, 56, 82, 83],
        [69, 70, 96, 97],
        [645, 646, 672, 673],
    ]
    assert small.pos_w[[0, 2]].tolist() == [
        [0.03125, 0.09375, 0.21875, 0.65625],
        [0.09375, 0.28125, 0.15625, 0.46875],
    ]
    large = vision_positions(54, 54)
    assert large.pos_idx[[0, 2, 5]].tolist() == [[0, 0, 0, 0], [0, 0, 27, 27], [1, 2, 1, 2]]
    assert large.pos_idx[-1].tolist() == [728] * 4
    assert large.pos_w[1].tolist() == [0.1875, 0.0625, 0.5625, 0.1875]


@given(rows=even, columns=even, side=st.integers(1, 40))
def test_weights_mix_neighbours_of_the_table_and_add_up_to_one(rows: int, columns: int, side: int) -> None:
    positions = vision_positions(rows, columns, side)
    assert positions.pos_idx.shape == positions.pos_w.shape == (rows * columns, 4)
    assert positions.pos_idx.min() >= 0
    assert positions.pos_idx.max() < side**2
    assert (positions.pos_w >= 0).all()
    np.testing.assert_allclose(positions.pos_w.sum(axis=1), 1, atol=1e-6)


@given(rows=even, columns=even)
def test_a_table_that_rises_evenly_is_resized_to_one_that_does(rows: int, columns: int) -> None:
    table = np.add.outer(100 * np.arange(27), np.arange(27)).ravel().astype(np.float64)
    positions = vision_positions(rows, columns)
    mixed = (table[positions.pos_idx] * positions.pos_w).sum(axis=1)
    row, column = positions.hw_ids.T
    down = ((row + 0.5) * 27 / rows - 0.5).clip(0, 26)
    across = ((column + 0.5) * 27 / columns - 0.5).clip(0, 26)
    np.testing.assert_allclose(mixed, 100 * down + across, atol=1e-2)


@given(rows=even, columns=even)
def test_every_patch_has_a_place_of_its_own(rows: int, columns: int) -> None:
    places = vision_positions(rows, columns).hw_ids
    assert len(np.unique(places, axis=0)) == rows * columns
    assert places.max(axis=0).tolist() == [rows - 1, columns - 1]


def test_what_is_kept_for_the_next_image_cannot_be_changed() -> None:
    positions = vision_positions(6, 8)
    assert vision_positions(6, 8) is positions
    for array in (positions.hw_ids, positions.pos_idx, positions.pos_w):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
