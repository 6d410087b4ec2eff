"""The stage makes of each network's outputs what paddlex made of them, region by region."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from layout_stage.detection.detections import Detection
from layout_stage.detection.inference_config import read_inference_config
from layout_stage.detection.inputs import network_inputs
from layout_stage.detection.model_defaults import default_settings
from layout_stage.detection.postprocess import postprocess
from layout_stage.detection.raw_boxes import candidates
from layout_stage.parts import PageSize
from tests.layout_stage.detection.pages import SIZES, drawn_pages
from tests.layout_stage.detection.reference import (
    FAMILIES,
    FIXTURES,
    ORDERED,
    all_cases,
    raw_boxes,
    reference,
    settings_of,
)

_PIXEL, _SCORE = 0.01, 1e-4
"""How much boxes and scores may differ; outlines by one pixel."""


def detected(family: str, case: str) -> list[tuple[Detection, ...]]:
    labels = read_inference_config(FIXTURES / family).labels
    found = candidates(raw_boxes(family), labels, len(SIZES))
    settings = settings_of(family, case)
    return [postprocess(page, PageSize(*size), settings) for page, size in zip(found, SIZES, strict=True)]


def expected_regions(family: str, case: str) -> Iterator[list[Any]]:
    for page in reference(family)[case]["pages"]:
        # Without a predicted order paddlex leaves them in one of no meaning.
        yield page if family in ORDERED else sorted(page, key=lambda region: -region["score"])


@pytest.mark.parametrize(("family", "case"), all_cases())
def test_regions_are_those_of_paddlex(family: str, case: str) -> None:
    pages = zip(detected(family, case), expected_regions(family, case), SIZES, strict=True)
    for found, expected, size in pages:
        assert [d.label for d in found] == [region["label"] for region in expected]
        for detection, region in zip(found, expected, strict=True):
            assert detection.score == pytest.approx(region["score"], abs=_SCORE)
            box = detection.box
            sides = (box.left, box.top, box.right, box.bottom)
            assert sides == pytest.approx(region["box"], abs=_PIXEL)
            if settings_of(family, case).unclip == (1.0, 1.0):  # outlines here grow with their boxes
                assert_same_outline(detection, region, size)


def assert_same_outline(detection: Detection, region: Any, size: tuple[int, int]) -> None:
    if region["polygon"] is None:
        assert detection.polygon is None
        return
    # paddlex lets outlines reach over the page's edges.
    expected = np.clip(np.array(region["polygon"]), 0, size)
    np.testing.assert_allclose(detection.polygon or detection.box.to_polygon(), expected, atol=1)


@pytest.mark.parametrize("family", ORDERED)
def test_predicted_order_is_that_of_paddlex(family: str) -> None:
    for found in detected(family, "pipeline"):
        orders = [d.order for d in found]
        assert None not in orders
        assert orders == sorted(orders, key=lambda order: order or 0)


@pytest.mark.parametrize("family", FAMILIES)
def test_default_settings_are_those_of_paddlex_pipelines(family: str) -> None:
    config = read_inference_config(FIXTURES / family)
    told, ours = settings_of(family, "pipeline"), default_settings(config)
    for setting in ("threshold", "merge"):
        of_told, of_ours = getattr(told, setting), getattr(ours, setting)
        if isinstance(of_told, dict) and isinstance(of_ours, dict):
            default = 0.5 if setting == "threshold" else "union"
            assert {n: of_ours.get(n, default) for n in config.labels} == of_told
        else:
            assert of_ours == of_told
    for setting in ("nms", "unclip", "shape", "whole_pixels", "drop_overlapping"):
        assert getattr(ours, setting) == getattr(told, setting)


@pytest.mark.parametrize("family", FAMILIES)
def test_inputs_are_those_of_paddlex(family: str) -> None:
    config = read_inference_config(FIXTURES / family)
    expected = reference(family)["inputs"]
    inputs = network_inputs(drawn_pages(), config)
    assert set(inputs) == {name for name, value in expected.items() if value is not None}
    for name in ("im_shape", "scale_factor"):
        if name in inputs:
            np.testing.assert_array_equal(inputs[name], np.array(expected[name], np.float32))
    samples = np.array(expected["image"], np.float32)
    rows, columns = (
        np.linspace(0, side - 1, samples.shape[2]).astype(int) for side in inputs["image"].shape[2:]
    )
    np.testing.assert_array_equal(inputs["image"][:, :, rows][:, :, :, columns], samples)
