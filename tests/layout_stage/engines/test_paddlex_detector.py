"""The official layout detection, with a stand-in for paddlex; `make parity` runs it with paddlex itself."""

import logging
from pathlib import Path
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from arcscribe.errors import InvalidConfig, ModelMissing
from arcscribe.types import Box
from layout_stage.detection.detection_options import DetectionOptions
from layout_stage.detection.inference_config import read_inference_config
from layout_stage.engines.paddlex_arguments import detections, predict_arguments
from layout_stage.engines.paddlex_detector import PaddlexDetector, PaddlexModel
from layout_stage.engines.paddlex_settings import PaddlexSettings
from layout_stage.parts import PageSize
from tests.layout_stage.detection.pages import drawn_pages
from tests.layout_stage.detection.reference import FAMILIES, FIXTURES, ORDERED, reference, settings_of
from tests.layout_stage.engines.fake_paddlex import FakePredictor, install, uninstall


def made(
    monkeypatch: pytest.MonkeyPatch, family: str, options: object = None, **settings: object
) -> tuple[PaddlexDetector, FakePredictor]:
    predictors: list[FakePredictor] = []

    def create_predictor(model_name: str, **told: Any) -> FakePredictor:
        predictors.append(FakePredictor(model_name, **told))
        return predictors[-1]

    install(monkeypatch, create_predictor)
    detector = PaddlexDetector(
        PaddlexModel.of(FIXTURES / family),
        msgspec.convert(settings, PaddlexSettings),
        msgspec.convert(options or {}, DetectionOptions),
    )
    return detector, predictors[0]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_page_has_on_it_what_paddlex_says(monkeypatch: pytest.MonkeyPatch, family: str) -> None:
    detector, predictor = made(monkeypatch, family)
    assert detector.name == predictor.model_name == read_inference_config(FIXTURES / family).name
    for page, told in zip(drawn_pages(), reference(family)["pipeline"]["pages"], strict=True):
        found = detector.detect(page)
        assert [(d.label, d.score) for d in found] == [(region["label"], region["score"]) for region in told]
        expected = list(range(len(told))) if family in ORDERED else [None] * len(told)
        assert [d.order for d in found] == expected


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("case", ["pipeline", "by_class"])
def test_paddlex_is_told_by_class_what_is_set_by_label(family: str, case: str) -> None:
    config = read_inference_config(FIXTURES / family)
    told = reference(family)[case]["settings"]
    arguments = predict_arguments(settings_of(family, case), config)
    assert arguments["layout_nms"] == told["nms"]
    for name, key, default in (
        ("threshold", "threshold", 0.5),
        ("layout_merge_bboxes_mode", "merge", "union"),
    ):
        of_paddlex, expected = arguments[name], told[key]
        if isinstance(expected, dict):
            expected = {number: expected.get(label, default) for number, label in enumerate(config.labels)}
        assert of_paddlex == (expected if expected is not None else config.draw_threshold)
    assert ("layout_shape_mode" in arguments) == (family in ORDERED)


def test_options_and_settings_reach_paddlex(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"thresholds": {"table": 0.9}, "nms": False, "merge": "small", "unclip": [1.5, 1.25]}
    detector, predictor = made(monkeypatch, "plus_l", options, engine="paddle", threads=3)
    detector.detect(drawn_pages()[0])
    (call,) = predictor.calls
    labels = read_inference_config(FIXTURES / "plus_l").labels
    assert call["threshold"][labels.index("table")] == 0.9
    assert call["threshold"][labels.index("text")] == 0.4
    assert (call["layout_nms"], call["layout_merge_bboxes_mode"]) == (False, "small")
    assert call["layout_unclip_ratio"] == (1.5, 1.25)
    assert predictor.settings["engine"] == "paddle"
    # Without oneDNN, with which PP-DocLayout_plus-L breaks.
    assert predictor.settings["engine_config"]["paddle_static"] == {"run_mode": "paddle", "cpu_threads": 3}


def test_a_label_that_the_model_has_not_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidConfig, match="no label 'nothing'"):
        made(monkeypatch, "plus_l", {"thresholds": {"nothing": 0.5}})


def test_boxes_and_outlines_end_at_the_pages_edges() -> None:
    def region(*coordinate: float, **more: Any) -> dict[str, Any]:
        return {"label": "text", "score": 0.5, "coordinate": coordinate, **more}

    box = [(10, 10), (60, 10), (60, 60), (10, 60)]
    tilted = [(-5, 0), (60, 10), (60, 60), (10, 60)]
    found = detections(
        [
            region(-3, 10, 120, 60),
            region(10, 100, 60, 130),  # below the page
            region(10, 10, 60, 60, polygon_points=box[::-1]),
            region(10, 10, 60, 60, polygon_points=tilted),
        ],
        PageSize(100, 80),
        ordered=False,
    )
    assert [d.box for d in found] == [Box(0, 10, 100, 60), Box(10, 10, 60, 60), Box(10, 10, 60, 60)]
    assert [d.polygon for d in found] == [None, None, ((0, 0), (60, 10), (60, 60), (10, 60))]


def test_without_paddlex_one_line_says_how_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    uninstall(monkeypatch)
    with pytest.raises(InvalidConfig, match=r"deploy/requirements-paddle\.lock") as caught:
        PaddlexDetector(PaddlexModel.of(Path("PP-DocLayoutV3")), PaddlexSettings(), DetectionOptions())
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("folder", [None, FIXTURES / "plus_l"])
def test_what_paddlex_cannot_load_is_a_missing_model_in_one_line(
    monkeypatch: pytest.MonkeyPatch, folder: Path | None
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise Exception("No model source is available!\nCheck your network.")  # noqa: TRY002  # as paddlex does

    install(monkeypatch, fails)
    with pytest.raises(ModelMissing, match=r"PP-DocLayout_plus-L.*No model source is available!$") as caught:
        PaddlexDetector(PaddlexModel("PP-DocLayout_plus-L", folder), PaddlexSettings(), DetectionOptions())
    assert str(folder or "PADDLE_PDX_CACHE_HOME") in caught.value.message


def test_what_paddlex_warns_of_is_a_line_of_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    made(monkeypatch, "plus_l")
    with capture_logs() as logs:
        logging.getLogger("paddlex").warning("no hub can be reached")
        logging.getLogger("paddlex").info("Creating model")
    assert [line["message"] for line in logs] == ["no hub can be reached"]
