"""Layout models by folder: the test networks in place of PP-StructureV3's, all else real."""

import shutil
from pathlib import Path

import msgspec
import pytest

from arcscribe.errors import ArcscribeError, InvalidConfig, ModelMissing
from arcscribe.inference.openvino import OpenVinoSettings
from arcscribe.types import PageLayout
from layout_stage.detection.detection_options import DetectionOptions
from layout_stage.detection.inference_config import read_inference_config
from layout_stage.engines.batch_settings import BatchSettings
from layout_stage.engines.detection_network import DetectionNetwork
from layout_stage.engines.load import load_analyzer, model_paths
from layout_stage.engines.openvino_network import load_openvino_network
from layout_stage.settings import LayoutSettings
from tests.layout_stage.detection.pages import SIZES, drawn_pages
from tests.layout_stage.detection.reference import FAMILIES, FIXTURES, reference


def network(folder: Path, **options: object) -> DetectionNetwork:
    chosen = msgspec.convert(options, DetectionOptions)
    return DetectionNetwork(
        folder, lambda path: load_openvino_network(path, OpenVinoSettings()), chosen, BatchSettings()
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_finds_on_a_page_what_paddlex_finds(family: str) -> None:
    found = network(FIXTURES / family)
    assert found.name == read_inference_config(FIXTURES / family).name
    for page, told in zip(drawn_pages(), reference(family)["pipeline"]["pages"], strict=True):
        regions = sorted((d.label, round(d.score, 3)) for d in found.detect(page))
        assert regions == sorted((region["label"], round(region["score"], 3)) for region in told)


def test_options_change_what_is_found() -> None:
    page = drawn_pages()[0]
    assert network(FIXTURES / "plus_l").detect(page)
    assert network(FIXTURES / "plus_l", threshold=1.0).detect(page) == ()
    with pytest.raises(InvalidConfig, match="no label 'nothing'"):
        network(FIXTURES / "plus_l", thresholds={"nothing": 0.5})


def analyzed(model_root: Path, **settings: object) -> PageLayout:
    chosen = msgspec.convert({"models": str(model_root), **settings}, LayoutSettings)
    return load_analyzer(chosen, model_paths(chosen)).analyze(drawn_pages()[0])


@pytest.mark.parametrize("family", ["plus_l", "v3"])
def test_the_whole_stage_runs_with_a_models_folder(model_root: Path, family: str) -> None:
    layout = analyzed(model_root, model=str(FIXTURES / family))
    assert layout.model.name == read_inference_config(FIXTURES / family).name
    assert (layout.width, layout.height) == SIZES[0]
    assert {region.label for region in layout.regions if region.label} <= set(
        read_inference_config(FIXTURES / family).labels
    )
    assert len(layout.regions) >= len(network(FIXTURES / family).detect(drawn_pages()[0]))


def places(layout: PageLayout) -> list[tuple[str, object]]:
    sides = [(r.box.left, r.box.top, r.box.right, r.box.bottom) for r in layout.regions]
    return [(r.label, pytest.approx(box, abs=1)) for r, box in zip(layout.regions, sides, strict=True)]


def test_onnxruntime_finds_what_openvino_finds(model_root: Path) -> None:
    layouts = [
        analyzed(model_root, model=str(FIXTURES / "v3"), engine=e) for e in ("onnxruntime", "openvino")
    ]
    assert [layout.model.engine for layout in layouts] == ["onnxruntime", "openvino"]
    assert places(layouts[0]) == [
        (r.label, (r.box.left, r.box.top, r.box.right, r.box.bottom)) for r in layouts[1].regions
    ]


def test_the_embedded_layout_model_runs_on_onnxruntime(model_root: Path) -> None:
    layout = analyzed(model_root, engine="onnxruntime")
    assert (layout.model.engine, layout.model.name) == ("onnxruntime", "layout_cdla")
    assert layout.regions


def test_the_blocks_of_a_named_model_change_the_order_of_the_regions_and_nothing_else(
    model_root: Path,
) -> None:
    plain = analyzed(model_root, model=str(FIXTURES / "plus_l"))
    blocks = analyzed(model_root, model=str(FIXTURES / "plus_l"), block_model=str(FIXTURES / "block"))
    orders = [[region.box for region in layout.regions] for layout in (plain, blocks)]
    assert orders[0] != orders[1]
    assert set(orders[0]) == set(orders[1])


@pytest.mark.parametrize(
    ("absent", "words"),
    [
        ("inference.yml", "inference.yml"),
        ("inference.onnx", "holds no inference.onnx"),
        ("", "is neither a model of the catalog nor a folder"),
    ],
)
def test_a_folder_that_is_not_whole_is_told_as_such(
    model_root: Path, tmp_path: Path, absent: str, words: str
) -> None:
    folder = tmp_path / "model"
    if absent:
        shutil.copytree(FIXTURES / "plus_l", folder)
        (folder / absent).unlink()
    with pytest.raises(ModelMissing, match=words):
        analyzed(model_root, model=str(folder))


def test_a_network_of_another_kind_is_refused(tmp_path: Path, model_root: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(FIXTURES / "plus_l", folder)
    shutil.copy(model_root / "layout-cdla" / "layout_cdla.onnx", folder / "inference.onnx")
    with pytest.raises(ModelMissing, match="its network has no input"):
        network(folder)
    (folder / "inference.onnx").write_bytes(b"no network")
    with pytest.raises(ArcscribeError, match="cannot be read as a model"):
        network(folder)


@pytest.mark.parametrize(
    "settings", [{"detection": {"threshold": 0.3}}, {"block_model": str(FIXTURES / "block")}], ids=str
)
def test_what_is_for_models_of_pp_structure_is_refused_with_the_embedded_one(
    model_root: Path, settings: dict[str, object]
) -> None:
    with pytest.raises(InvalidConfig, match="layout-cdla takes none"):
        analyzed(model_root, **settings)


def test_a_text_detector_that_is_none_is_refused(model_root: Path) -> None:
    with pytest.raises(InvalidConfig, match=r"layout-cdla.*: that is a model for layout"):
        model_paths(LayoutSettings(models=str(model_root), text_detection="layout-cdla"))


@pytest.mark.parametrize(
    "settings", [{"max_waiting": -1}, {"model": ""}, {"engine": "mine"}, {"onnxruntime": {"threads": 10**8}}]
)
def test_settings_that_nothing_could_come_of_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(settings, LayoutSettings)
