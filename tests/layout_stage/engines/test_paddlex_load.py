"""The stage with the official engine, with a stand-in for paddlex and all else real."""

from pathlib import Path

import msgspec
import pytest

from arcscribe.errors import InvalidConfig, ModelMissing
from arcscribe.types import PageLayout, StageModel
from layout_stage.engines.load import load_analyzer, model_paths
from layout_stage.settings import LayoutSettings
from tests.layout_stage.detection.pages import drawn_pages
from tests.layout_stage.detection.reference import FIXTURES
from tests.layout_stage.engines.fake_paddlex import FakePredictor, install, install_pipeline, uninstall


def analyzed(model_root: Path, **settings: object) -> PageLayout:
    told = {"engine": "paddlex", "models": str(model_root), **settings}
    chosen = msgspec.convert(told, LayoutSettings)
    return load_analyzer(chosen, model_paths(chosen)).analyze(drawn_pages()[0])


def test_the_whole_stage_has_paddlexs_regions_in_paddlexs_order(
    monkeypatch: pytest.MonkeyPatch, model_root: Path
) -> None:
    seen_areas: list[int] = []

    def from_below(blocks: list[list[int]], areas: list[list[int]]) -> list[list[int]]:
        seen_areas.append(len(areas))
        return sorted(blocks, key=lambda box: (-box[1], box))

    install(monkeypatch, FakePredictor)
    install_pipeline(monkeypatch, from_below)
    layout = analyzed(model_root, model=str(FIXTURES / "plus_l"), block_model=str(FIXTURES / "block"))
    assert layout.model == StageModel("paddlex", "PP-DocLayout_plus-L", "CPU")
    tops = [int(region.box.top) for region in layout.regions]
    assert len(tops) > 10
    assert tops == sorted(tops, reverse=True)
    assert seen_areas != [0]


def test_the_embedded_model_is_no_model_of_paddlex(monkeypatch: pytest.MonkeyPatch, model_root: Path) -> None:
    install(monkeypatch, FakePredictor)
    with pytest.raises(InvalidConfig, match="not layout-cdla"):
        analyzed(model_root)


def test_what_is_neither_a_folder_nor_a_model_of_the_catalog_is_an_official_name(
    monkeypatch: pytest.MonkeyPatch, model_root: Path
) -> None:
    asked: list[tuple[str, str | None]] = []

    def create_predictor(model_name: str, model_dir: str | None, **_: object) -> FakePredictor:
        asked.append((model_name, model_dir))
        return FakePredictor(model_name, str(FIXTURES / "v3"))

    install(monkeypatch, create_predictor)
    install_pipeline(monkeypatch, lambda blocks, _: blocks)
    assert analyzed(model_root, model="PP-DocLayoutV3").model.name == "PP-DocLayoutV3"
    assert asked == [("PP-DocLayoutV3", None)]


def test_without_paddlex_the_stage_does_not_start(monkeypatch: pytest.MonkeyPatch, model_root: Path) -> None:
    uninstall(monkeypatch)
    with pytest.raises(InvalidConfig, match="cannot have paddlex here"):
        analyzed(model_root, model=str(FIXTURES / "plus_l"))


def test_the_own_engine_knows_no_official_names(model_root: Path) -> None:
    with pytest.raises(ModelMissing, match="neither a model of the catalog nor a folder"):
        analyzed(model_root, engine="openvino", model="PP-DocLayoutV3")
