"""Layout networks on each runtime, alone and in batches: the same boxes."""

import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import openvino as ov
import pytest
from numpy.typing import NDArray

from arcscribe.errors import DeviceMissing, InferenceFailed, InvalidConfig, ModelMissing
from arcscribe.inference.openvino import OpenVinoSettings
from layout_stage.detection.detection_options import DetectionOptions
from layout_stage.detection.detections import Detection
from layout_stage.detection.inference_config import read_inference_config
from layout_stage.detection.inputs import network_inputs
from layout_stage.detection.raw_boxes import RawBoxes
from layout_stage.engines.batch_settings import BatchSettings
from layout_stage.engines.detection_network import DetectionNetwork
from layout_stage.engines.network import LoadNetwork, Network
from layout_stage.engines.onnxruntime_network import check_provider, load_onnxruntime_network
from layout_stage.engines.onnxruntime_settings import OnnxruntimeSettings
from layout_stage.engines.openvino_network import OpenVinoNetwork, load_openvino_network
from tests.layout_stage.detection.pages import drawn_pages
from tests.layout_stage.detection.reference import FIXTURES, raw_boxes

PAGES = drawn_pages()
ONE_AT_THE_START = 1
"""A page on which a network is tried before it is used."""


def on_openvino(path: Path) -> Network:
    return load_openvino_network(path, OpenVinoSettings())


def on_onnxruntime(path: Path) -> Network:
    return load_onnxruntime_network(path, OnnxruntimeSettings())


RUNTIMES = (on_openvino, on_onnxruntime)


class Watched:
    """A network that notes how many pages it runs at once, and breaks on some numbers of them."""

    def __init__(self, network: Network, breaks_on: Sequence[int] = (), takes_batches: bool = True) -> None:
        self._network, self._breaks_on = network, breaks_on
        self.input_names, self.takes_batches = network.input_names, takes_batches
        self.batches: list[int] = []

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        self.batches.append(len(inputs["image"]))
        if len(inputs["image"]) in self._breaks_on:
            raise InferenceFailed("too many")
        return self._network.run(inputs)


def network(family: str, load: LoadNetwork, pages: int = 1) -> DetectionNetwork:
    return DetectionNetwork(
        FIXTURES / family, load, DetectionOptions(), BatchSettings(pages=pages, wait_ms=10_000)
    )


def at_once(detector: DetectionNetwork) -> list[Sequence[Detection]]:
    with ThreadPoolExecutor(len(PAGES)) as threads:
        return list(threads.map(detector.detect, PAGES))


def assert_same(found: Sequence[Detection], told: Sequence[Detection]) -> None:
    assert [d.label for d in found] == [d.label for d in told]
    assert [d.order for d in found] == [d.order for d in told]
    for one, other in zip(found, told, strict=True):
        assert one.score == pytest.approx(other.score, abs=1e-4)
        a, b = one.box, other.box
        assert (a.left, a.top, a.right, a.bottom) == pytest.approx(
            (b.left, b.top, b.right, b.bottom), abs=0.01
        )


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("family", ["plus_l", "s", "v3"])
def test_pages_in_a_batch_have_the_regions_that_they_have_alone(family: str, runtime: LoadNetwork) -> None:
    watched = Watched(runtime(FIXTURES / family / "inference.onnx"))
    together = at_once(network(family, lambda _: watched, len(PAGES)))
    assert watched.batches == [ONE_AT_THE_START, len(PAGES)]
    alone = network(family, on_openvino)
    for found, page in zip(together, PAGES, strict=True):
        assert_same(found, alone.detect(page))


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_outputs_stay_as_they_are_whatever_else_is_run(runtime: LoadNetwork) -> None:
    config = read_inference_config(FIXTURES / "v3")
    loaded = runtime(FIXTURES / "v3" / "inference.onnx")
    outputs = loaded.run(network_inputs(PAGES, config))
    for _ in range(3):
        loaded.run(network_inputs([np.zeros_like(page) for page in PAGES], config))
    raw, told = RawBoxes.of(outputs), raw_boxes("v3")
    np.testing.assert_allclose(raw.boxes[:, 1], told.boxes[:, 1], atol=1e-4)
    assert raw.masks is not None
    np.testing.assert_array_equal(raw.masks, told.masks)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_a_network_for_another_size_than_its_file_says_is_refused_at_the_start(
    runtime: LoadNetwork, tmp_path: Path
) -> None:
    shutil.copytree(FIXTURES / "s", tmp_path, dirs_exist_ok=True)
    said = tmp_path / "inference.yml"
    said.write_text(said.read_text(encoding="utf-8").replace("- 480", "- 640"), encoding="utf-8")
    with pytest.raises(ModelMissing, match="its network cannot be run: ") as caught:
        DetectionNetwork(tmp_path, runtime, DetectionOptions(), BatchSettings())
    assert "\n" not in caught.value.message


def test_a_network_that_takes_one_page_only_runs_them_one_by_one() -> None:
    watched = Watched(on_openvino(FIXTURES / "s" / "inference.onnx"), takes_batches=False)
    at_once(network("s", lambda _: watched, len(PAGES)))
    assert watched.batches == [ONE_AT_THE_START, *[1] * len(PAGES)]


def test_a_network_that_breaks_on_batches_runs_pages_one_by_one() -> None:
    watched = Watched(on_openvino(FIXTURES / "s" / "inference.onnx"), breaks_on=[len(PAGES)])
    found = at_once(network("s", lambda _: watched, len(PAGES)))
    assert all(found)
    assert watched.batches == [ONE_AT_THE_START, len(PAGES), *[1] * len(PAGES)]


@pytest.mark.parametrize(("batch", "takes"), [(1, False), (-1, True)])
def test_openvino_tells_whether_a_network_takes_batches(batch: int, takes: bool) -> None:
    image = ov.op.Parameter(ov.Type.f32, ov.PartialShape([batch, 3]))
    image.output(0).get_tensor().set_names({"image"})
    model = ov.Model([ov.opset13.relu(image)], [image])
    loaded = OpenVinoNetwork(ov.Core().compile_model(model, "CPU"))
    assert (loaded.input_names, loaded.takes_batches) == (("image",), takes)


def test_a_provider_that_is_not_there_is_told_with_what_to_install() -> None:
    absent = "NoExecutionProvider"
    with pytest.raises(InvalidConfig, match="pip install onnxruntime-openvino") as caught:
        check_provider(absent)
    assert f"has no {absent}" in caught.value.message
    assert "\n" not in caught.value.message


def test_a_device_that_the_provider_leaves_for_the_cpu_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    class OnCpu:
        def __init__(self, *_: object, **__: object) -> None: ...

        def get_providers(self) -> list[str]:
            return ["CPUExecutionProvider"]

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["OpenVINOExecutionProvider"])
    monkeypatch.setattr(onnxruntime, "InferenceSession", OnCpu)
    with pytest.raises(DeviceMissing, match="no device GPU"):
        load_onnxruntime_network(
            FIXTURES / "s" / "inference.onnx", OnnxruntimeSettings("OpenVINOExecutionProvider", "GPU")
        )


def test_what_is_no_onnx_is_told(tmp_path: Path) -> None:
    (tmp_path / "inference.pdmodel").write_bytes(b"no network")
    with pytest.raises(ModelMissing, match="which takes ONNX"):
        on_onnxruntime(tmp_path / "inference.pdmodel")
