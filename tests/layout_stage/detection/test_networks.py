"""From pages to regions through each test network, by both of the stage's runtimes: as paddlex has them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnxruntime
import openvino as ov
import pytest
from numpy.typing import NDArray

from layout_stage.detection.inference_config import read_inference_config
from layout_stage.detection.inputs import network_inputs
from layout_stage.detection.model_defaults import default_settings
from layout_stage.detection.postprocess import postprocess
from layout_stage.detection.raw_boxes import RawBoxes, candidates
from layout_stage.parts import PageSize
from tests.layout_stage.detection.pages import SIZES, drawn_pages
from tests.layout_stage.detection.reference import FAMILIES, FIXTURES, ORDERED, raw_boxes, reference


def through_openvino(family: str, inputs: Mapping[str, Any]) -> list[NDArray[Any]]:
    network = ov.Core().compile_model(
        FIXTURES / family / "inference.onnx", "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
    )
    return list(network(inputs).values())


def through_onnxruntime(family: str, inputs: Mapping[str, Any]) -> list[NDArray[Any]]:
    session = onnxruntime.InferenceSession(
        FIXTURES / family / "inference.onnx", providers=["CPUExecutionProvider"]
    )
    outputs: list[NDArray[Any]] = session.run(None, dict(inputs))
    return outputs


@pytest.mark.parametrize("runtime", [through_openvino, through_onnxruntime])
@pytest.mark.parametrize("family", FAMILIES)
def test_regions_of_pages_are_those_of_paddlex(family: str, runtime: Any) -> None:
    config = read_inference_config(FIXTURES / family)
    raw = RawBoxes.of(runtime(family, network_inputs(drawn_pages(), config)))
    expected = raw_boxes(family)
    assert raw.counts.tolist() == expected.counts.tolist()
    np.testing.assert_allclose(raw.boxes[:, 2:6], expected.boxes[:, 2:6], atol=0.01)
    pages = zip(
        candidates(raw, config.labels, len(SIZES)), reference(family)["pipeline"]["pages"], SIZES, strict=True
    )
    for page, regions, size in pages:
        found = [
            (d.label, pytest.approx(d.score, abs=1e-4))
            for d in postprocess(page, PageSize(*size), default_settings(config))
        ]
        told = [(region["label"], region["score"]) for region in regions]
        assert found == (told if family in ORDERED else sorted(told, key=lambda region: -region[1]))
