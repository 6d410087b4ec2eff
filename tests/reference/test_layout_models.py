"""PP-DocLayoutV2 and V3 with random weights, exported: what the stage sees, against transformers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from arcscribe.inference.openvino import OpenVinoSettings
from arcscribe.types import Box, RgbImage
from layout_stage.box_arrays import sides
from layout_stage.detection.detection_options import DetectionOptions, with_options
from layout_stage.detection.detection_settings import MergeMode
from layout_stage.detection.detections import Candidate
from layout_stage.detection.inference_config import read_inference_config
from layout_stage.detection.inputs import network_inputs
from layout_stage.detection.model_defaults import default_settings
from layout_stage.detection.outlines import outline
from layout_stage.detection.postprocess import postprocess
from layout_stage.detection.raw_boxes import RawBoxes, candidates
from layout_stage.engines.batch_settings import BatchSettings
from layout_stage.engines.detection_network import DetectionNetwork
from layout_stage.engines.network import LoadNetwork, Network
from layout_stage.engines.onnxruntime_network import load_onnxruntime_network
from layout_stage.engines.onnxruntime_settings import OnnxruntimeSettings
from layout_stage.engines.openvino_network import load_openvino_network
from layout_stage.parts import PageSize
from tests.layout_stage.detection.pages import drawn_pages
from tests.reference.layout_exports import (
    LABELS,
    THRESHOLD,
    export,
    network_of,
    outputs,
    processor,
    toy,
    with_random_weights,
    write_config,
)

PAGES = drawn_pages()
TOY_SIDE, SIDE = 160, 800
"""Of inputs, in pixels."""
MARGIN = 1e-5
"""The least by which a query is chosen before another: float32 is some 3e-6 from float64."""
OPTIONS = DetectionOptions(threshold=THRESHOLD)
UNSIFTED = DetectionOptions(threshold=THRESHOLD, nms=False, merge=MergeMode.UNION)


def on_openvino(path: Path) -> Network:
    return load_openvino_network(path, OpenVinoSettings())


def on_onnxruntime(path: Path) -> Network:
    return load_onnxruntime_network(path, OnnxruntimeSettings())


@dataclass(frozen=True, slots=True)
class Exported:
    """A network as transformers has it, and the folder that the stage takes."""

    version: str
    side: int
    model: Any
    folder: Path

    def image(self, page: RgbImage) -> Any:
        """The network's input, as the stage makes it."""
        return torch.from_numpy(network_inputs([page], read_inference_config(self.folder))["image"])


@cache
def answer(exported: Exported, number: int) -> Any:
    """What transformers' network says of a page."""
    return outputs(exported.model, exported.image(PAGES[number]))


@cache
def theirs(exported: Exported, number: int) -> tuple[list[Candidate], list[Any]]:
    """What transformers sees on a page, in its own reading order, and the outlines that it draws."""
    said, made = answer(exported, number), processor(exported.version, exported.side)
    size = torch.tensor([PAGES[number].shape[:2]])
    (seen,) = made.post_process_object_detection(said, THRESHOLD, size)
    order, corners = seen["order_seq"].tolist(), seen.get("polygon_points", [])
    masks: list[Any] = [None] * len(order)
    if corners:
        query = made._get_order_seqs(said.order_logits)[0].argsort()[seen["order_seq"]]
        masks = list((said.out_masks[0, query].sigmoid() > THRESHOLD).int().numpy())
    labels = [LABELS[label] for label in seen["labels"].tolist()]
    boxes = [Box(*sides) for sides in seen["boxes"].tolist()]
    columns = (labels, seen["scores"].tolist(), boxes, order, [0.0] * len(order), masks)
    return [Candidate(*row) for row in zip(*columns, strict=True)], corners


def margin(exported: Exported, number: int) -> float:
    """By how much a query that is chosen is more likely, for the encoder, than the next one."""
    likely = answer(exported, number).enc_outputs_class.max(-1).values[0].sort(descending=True).values
    return float((likely[:-1] - likely[1:])[: exported.model.config.num_queries].min())


@pytest.fixture(scope="module", params=["V2", "V3"])
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return made(request.param, toy(request.param), TOY_SIDE, tmp_path_factory.mktemp(request.param))


def made(version: str, model: Any, side: int, folder: Path) -> Exported:
    """A network with random weights, and its export."""
    write_config(version.lower(), side, folder)
    exported = Exported(version, side, model, folder)
    with_random_weights(model, seed=4, page=exported.image(PAGES[0]), things=14)
    export(model, side, folder)
    return exported


@pytest.fixture(scope="module", params=[on_openvino, on_onnxruntime])
def network(request: pytest.FixtureRequest, exported: Exported) -> Network:
    load: LoadNetwork = request.param
    return load(exported.folder / "inference.onnx")


@pytest.mark.parametrize("page", range(len(PAGES)))
def test_an_export_says_what_transformers_makes_of_the_network(
    exported: Exported, network: Network, page: int
) -> None:
    assert margin(exported, page) > MARGIN
    assert_same(seen_by(network, exported, page), theirs(exported, page)[0])


@pytest.mark.parametrize("options", [OPTIONS, UNSIFTED])
def test_the_stage_sees_what_it_would_make_of_transformers_answer(
    exported: Exported, network: Network, options: DetectionOptions
) -> None:
    config = read_inference_config(exported.folder)
    settings = with_options(default_settings(config), options, config.labels)
    stage = DetectionNetwork(exported.folder, lambda _: network, options, BatchSettings())
    for number, page in enumerate(PAGES):
        told = postprocess(theirs(exported, number)[0], PageSize(page.shape[1], page.shape[0]), settings)
        found = stage.detect(page)
        assert told
        assert [replace(d, score=0) for d in found] == [replace(d, score=0) for d in told]
        assert [d.score for d in found] == pytest.approx([d.score for d in told], abs=1e-4)


@pytest.mark.parametrize("exported", ["V3"], indirect=True)
def test_outlines_have_the_corners_that_transformers_gives_them(exported: Exported) -> None:
    drawn = 0
    for number, page in enumerate(PAGES):
        size = PageSize(page.shape[1], page.shape[0])
        for candidate, corners in zip(*theirs(exported, number), strict=True):
            assert candidate.mask is not None
            ours = outline(candidate.mask, whole(candidate.box), size, longest=0.0)
            # transformers gives four corners where it draws nothing, and leaves out those inwards that
            # paddlex keeps.
            if ours is not None and len(corners) > 4:
                assert {*map(tuple, corners)} <= {*map(tuple, ours.tolist())}
                drawn += 1
    assert drawn > 20


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("version", ["V2", "V3"])
def test_networks_of_the_published_size_agree_with_transformers(version: str, tmp_path: Path) -> None:
    full = made(version, network_of(version), SIDE, tmp_path)
    for load in (on_openvino, on_onnxruntime):
        # On its page a few things are over the threshold: where 300 are, neighbours change places.
        assert_same(seen_by(load(tmp_path / "inference.onnx"), full, 0), theirs(full, 0)[0])


def seen_by(network: Network, exported: Exported, number: int) -> list[Candidate]:
    """What a network says, without what it is not sure of."""
    config = read_inference_config(exported.folder)
    (seen,) = candidates(RawBoxes.of(network.run(network_inputs([PAGES[number]], config))), config.labels, 1)
    return [c for c in seen if c.score >= THRESHOLD]


def _sides(candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    return sides(candidate.box for candidate in candidates)


def assert_same(found: Sequence[Candidate], told: Sequence[Candidate]) -> None:
    """Asserts that two see the same things in the same places, scores, order and masks."""
    assert told
    found, told = (sorted(seen, key=lambda c: (c.order or 0.0, c.label)) for seen in (found, told))
    assert [(c.label, c.order) for c in found] == [(c.label, c.order) for c in told]
    assert [c.score for c in found] == pytest.approx([c.score for c in told], abs=1e-4)
    np.testing.assert_allclose(_sides(found), _sides(told), atol=0.01)
    for one, other in zip(found, told, strict=True):
        np.testing.assert_array_equal(one.mask, other.mask)


def whole(box: Box) -> Box:
    return Box(*(float(int(side)) for side in (box.left, box.top, box.right, box.bottom)))
