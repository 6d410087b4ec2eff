import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.errors import ArcscribeError, InvalidDocument, TooLarge
from arcscribe.types import RgbImage
from vlm_stage.engines.paddleocr_vl.inputs.images import (
    MAX_ASPECT_RATIO,
    ImageSettings,
    normalised_bytes,
    patchify,
    smart_resize,
)

PUBLISHED = ImageSettings(
    min_pixels=112_896, max_pixels=1_003_520, image_mean=(0.5, 0.5, 0.5), image_std=(0.5, 0.5, 0.5)
)


@pytest.mark.parametrize(
    ("size", "resized"),
    [
        ((30, 400), (112, 1232)),
        ((1, 150), (28, 4200)),
        ((2000, 40), (2380, 56)),
        ((3000, 2500), (1092, 896)),
        ((500, 700), (504, 700)),
        ((10, 10), (336, 336)),
        ((5600, 28), (5600, 28)),
        ((42, 700), (84, 1372)),
        ((70, 1610), (84, 1624)),
    ],
)
def test_sizes_are_those_that_transformers_gave(size: tuple[int, int], resized: tuple[int, int]) -> None:
    assert smart_resize(*size, PUBLISHED) == resized


def test_a_side_never_shrinks_to_nothing() -> None:
    assert smart_resize(28, 5600, ImageSettings(min_pixels=1, max_pixels=5000)) == (28, 980)


@given(height=st.integers(1, 5000), width=st.integers(1, 5000))
def test_sides_come_in_whole_tokens_and_the_area_within_limits(height: int, width: int) -> None:
    try:
        tall, wide = smart_resize(height, width, PUBLISHED)
    except TooLarge:
        assert max(height, width) > MAX_ASPECT_RATIO * min(height, width)
        return
    assert tall % 28 == wide % 28 == 0
    assert tall * wide >= PUBLISHED.min_pixels
    # A strip that is one token high is not shortened for the area's sake.
    assert tall * wide <= PUBLISHED.max_pixels or min(tall, wide) == 28


@pytest.mark.parametrize(
    ("shape", "error"),
    [((1, 300), TooLarge), ((5700, 28), TooLarge), ((0, 20), InvalidDocument), ((20, 0), InvalidDocument)],
)
def test_a_crop_that_cannot_be_read_says_so(shape: tuple[int, int], error: type[ArcscribeError]) -> None:
    with pytest.raises(error, match="the region is"):
        patchify(np.zeros((*shape, 3), np.uint8), PUBLISHED)


def test_the_limit_of_the_aspect_ratio_travels_with_the_error() -> None:
    with pytest.raises(TooLarge) as caught:
        smart_resize(10, 2001, PUBLISHED)
    assert caught.value.details == {"what": "aspect ratio", "limit": "200"}
    assert smart_resize(28, 5600, PUBLISHED) == (28, 5600)


def waves() -> RgbImage:
    y, x = np.mgrid[0:40, 0:90]
    return np.stack([(7 * x + 3 * y) % 256, (x * y) % 256, (255 - 5 * x + 11 * y) % 256], -1).astype(np.uint8)


def test_values_are_those_that_transformers_gave() -> None:
    settings = ImageSettings(image_mean=(0.5, 0.5, 0.5), image_std=(0.4, 0.5, 0.6))
    patches = patchify(waves(), settings, 1_003_520, 112_896)
    assert (patches.rows, patches.columns, patches.values.shape) == (16, 36, (576, 588))
    assert patches.values.dtype == np.float32
    expected = {
        (0, 0): -1.25,
        (1, 242): -1.0,
        (2, 587): -0.584967315196991,
        (3, 98): -1.0049020051956177,
        (575, 587): 0.7287581562995911,
        (163, 286): -0.615686297416687,
    }
    for place, value in expected.items():
        assert patches.values[place] == np.float32(value)
    assert patches.values.sum(dtype=np.float64) == pytest.approx(-12181.587325089611, abs=1e-6)


@given(down=st.integers(1, 5), across=st.integers(1, 5), merge=st.sampled_from([1, 2, 3]))
def test_every_pixel_stands_where_its_patch_and_channel_say(down: int, across: int, merge: int) -> None:
    settings = ImageSettings(
        min_pixels=1, patch_size=4, merge_size=merge, do_rescale=False, do_normalize=False
    )
    height, width = 4 * merge * down, 4 * merge * across
    pixels = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    patches = patchify(pixels, settings)
    assert (patches.rows, patches.columns) == (down * merge, across * merge)
    order = [
        (token_row * merge + row, token_column * merge + column)
        for token_row in range(down)
        for token_column in range(across)
        for row in range(merge)
        for column in range(merge)
    ]
    for values, (row, column) in zip(patches.values, order, strict=True):
        patch = pixels[4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
        assert values.tolist() == patch.transpose(2, 0, 1).ravel().tolist()


def test_limits_of_a_task_come_before_those_of_the_checkpoint() -> None:
    pixels = np.zeros((1500, 1500, 3), np.uint8)
    assert patchify(pixels, PUBLISHED).rows == 70
    assert patchify(pixels, PUBLISHED, max_pixels=1_605_632).rows == 90
    small = np.zeros((28, 28, 3), np.uint8)
    assert patchify(small, PUBLISHED).rows == 24
    assert patchify(small, PUBLISHED, min_pixels=28 * 28).rows == 2


def test_bytes_become_minus_one_to_one_under_the_published_settings() -> None:
    table = normalised_bytes(PUBLISHED)
    assert table[:, 0].tolist() == [-1, -1, -1]
    assert table[:, 255].tolist() == [1, 1, 1]
    assert (np.diff(table, axis=1) > 0).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_pixels": 2_000_000},
        {"patch_size": 0},
        {"image_std": (0.5, 0.0, 0.5)},
        {"image_std": (0.5, 0.5, -0.5)},
        {"image_std": (0.5, math.nan, 0.5)},
        {"image_std": (0.5, 1e-30, 0.5)},
        {"image_mean": (0.5, 0.5, math.nan)},
        {"image_mean": (-math.inf, 0.5, 0.5)},
        {"image_mean": (0.5, 1e30, 0.5)},
        {"rescale_factor": 0.0},
        {"rescale_factor": -1.0},
        {"rescale_factor": math.nan},
        {"rescale_factor": math.inf, "do_normalize": False},
        {"rescale_factor": 1e9},
        {"resample": 9},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, object]) -> None:
    values = {"max_pixels": 1_003_520} | wrong
    with pytest.raises(
        ValueError, match=r"pixels from|patches of|deviations of|rescale_factor|normalise to|no filter"
    ):
        ImageSettings(**values)  # type: ignore[arg-type]  # the values are of many types
