from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_stage.engines.paddleocr_vl.inputs.images import Patches
from vlm_stage.engines.paddleocr_vl.model_config import VisionConfig
from vlm_stage.engines.paddleocr_vl.networks.packing import how_many_fit, pack, padded_length, unpack

CONFIG = VisionConfig(hidden_size=64, num_attention_heads=4)
GRIDS = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 6)), min_size=1, max_size=5)


def crops_of(grids: Sequence[tuple[int, int]]) -> list[Patches]:
    return [
        Patches(np.full((4 * rows * columns, 588), number, np.float32), 2 * rows, 2 * columns)
        for number, (rows, columns) in enumerate(grids, 1)
    ]


@given(GRIDS, st.lists(st.integers(1, 100).map(lambda n: 4 * n), max_size=4))
def test_each_crop_comes_back_whole_from_its_row(grids: list[tuple[int, int]], buckets: list[int]) -> None:
    packed = pack(crops_of(grids), CONFIG, buckets)
    tokens = packed.arrays["patches"][0, ::4, :3]
    parts = unpack(np.asarray(tokens, np.float32), packed.sizes)
    for number, ((rows, columns), part) in enumerate(zip(grids, parts, strict=True), 1):
        assert part.shape == (rows * columns, 3)
        assert (part == number).all()


@given(GRIDS, st.lists(st.integers(1, 100).map(lambda n: 4 * n), max_size=4))
def test_patches_share_a_segment_with_those_of_their_crop_alone(
    grids: list[tuple[int, int]], buckets: list[int]
) -> None:
    packed = pack(crops_of(grids), CONFIG, buckets)
    segments, owners = packed.arrays["segments"][0], packed.arrays["patches"][0, :, 0]
    same_segment = segments[:, None] == segments
    assert (same_segment == (owners[:, None] == owners)).all()


def test_all_inputs_of_a_row_have_its_length() -> None:
    packed = pack(crops_of([(1, 2), (2, 2)]), CONFIG, [40, 100])
    assert {array.shape[:2] for array in packed.arrays.values()} == {(1, 40)}
    assert packed.sizes == (8, 16)


@pytest.mark.parametrize(("patches", "expected"), [(1, 4), (4, 4), (5, 16), (16, 16), (17, 17)])
def test_a_row_is_padded_to_the_smallest_bucket_that_holds_it(patches: int, expected: int) -> None:
    assert padded_length(patches, [16, 4]) == expected


@given(st.lists(st.integers(1, 50), min_size=1), st.integers(1, 200))
def test_a_row_takes_as_many_crops_as_the_limit_allows_and_one_at_least(sizes: list[int], limit: int) -> None:
    count = how_many_fit(sizes, limit)
    assert count >= 1
    assert count == 1 or sum(sizes[:count]) <= limit
    assert count == len(sizes) or sum(sizes[: count + 1]) > limit


def test_no_crop_fits_where_there_is_none() -> None:
    assert how_many_fit([], 100) == 0
