from dataclasses import replace

import numpy as np
import pytest

from layout_stage.detection.inference_config import Interpolation, Normalisation, read_inference_config
from layout_stage.detection.inputs import network_inputs
from tests.layout_stage.detection.reference import FIXTURES

CONFIG = read_inference_config(FIXTURES / "plus_l")
PAGE = np.full((400, 200, 3), (255, 0, 51), np.uint8)


def test_a_page_fills_the_input_with_red_first() -> None:
    inputs = network_inputs([PAGE], CONFIG)
    assert inputs["image"].shape == (1, 3, 800, 800)
    assert inputs["image"].dtype == np.float32
    assert inputs["image"][0, :, 400, 400].tolist() == pytest.approx([1, 0, 0.2])
    assert inputs["im_shape"].tolist() == [[800, 800]]
    assert inputs["scale_factor"].tolist() == [[2, 4]]


def test_pages_of_unlike_sizes_make_one_batch() -> None:
    inputs = network_inputs([PAGE, PAGE[:200]], CONFIG)
    assert inputs["image"].shape == (2, 3, 800, 800)
    assert inputs["scale_factor"].tolist() == [[2, 4], [4, 4]]


def test_picodet_is_not_told_its_own_size() -> None:
    assert set(network_inputs([PAGE], read_inference_config(FIXTURES / "s"))) == {"image", "scale_factor"}


def test_mean_and_deviation_are_those_of_each_channel() -> None:
    config = replace(CONFIG, normalisation=Normalisation(1.0, (1, 2, 3), (2, 4, 8)))
    assert network_inputs([PAGE], config)["image"][0, :, 0, 0].tolist() == [127, -0.5, 6]


@pytest.mark.parametrize("interpolation", Interpolation)
def test_a_page_of_the_inputs_size_is_not_touched(interpolation: Interpolation) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (800, 800, 3), np.uint8)
    image = network_inputs([noise], replace(CONFIG, interpolation=interpolation))["image"]
    np.testing.assert_array_equal(np.rint(image[0] * 255), noise.transpose(2, 0, 1))


def test_a_page_may_keep_its_aspect() -> None:
    inputs = network_inputs([PAGE], replace(CONFIG, keep_ratio=True))
    assert inputs["image"].shape == (1, 3, 800, 400)
    assert inputs["im_shape"].tolist() == [[800, 400]]
    with pytest.raises(ValueError, match="shape"):
        network_inputs([PAGE, PAGE[:200]], replace(CONFIG, keep_ratio=True))


def test_a_page_that_keeps_its_aspect_fits_the_input_both_ways() -> None:
    config = replace(CONFIG, width=400, keep_ratio=True)
    assert network_inputs([PAGE[:200]], config)["image"].shape == (1, 3, 400, 400)


def test_a_strip_keeps_at_least_one_pixel() -> None:
    strip = np.zeros((4000, 1, 3), np.uint8)
    assert network_inputs([strip], replace(CONFIG, keep_ratio=True))["image"].shape[3] == 1
