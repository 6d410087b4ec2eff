"""paddlex as far as the stage uses it: it finds what `expected.json` has, and orders as a test says."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arcscribe.types import RgbImage
from tests.layout_stage.detection.pages import drawn_pages
from tests.layout_stage.detection.reference import reference

INFERENCE = "paddlex.inference"
PIPELINE = "paddlex.inference.pipelines.layout_parsing.pipeline_v2"


class FakePredictor:
    """Answers for the drawn pages what `expected.json` has for paddlex's own pipeline."""

    def __init__(self, model_name: str, model_dir: str, **settings: Any) -> None:
        self.model_name, self.model_dir, self.settings = model_name, Path(model_dir), settings
        self.calls: list[Mapping[str, Any]] = []

    def __call__(self, pages: Sequence[RgbImage], **arguments: Any) -> Iterator[Any]:
        self.calls.append(arguments)
        told = reference(self.model_dir.name)["pipeline"]["pages"]
        for page in pages:
            number = next(
                i for i, drawn in enumerate(drawn_pages()) if np.array_equal(drawn[..., ::-1], page)
            )
            yield {"boxes": [_told(region) for region in told[number]]}


class _FakePackage(ModuleType):
    """A package in place of one of paddlex."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []


def install(monkeypatch: pytest.MonkeyPatch, create_predictor: Callable[..., Any]) -> None:
    """Puts `create_predictor` where paddlex has its own."""
    _install(monkeypatch, INFERENCE, create_predictor=create_predictor)


def install_pipeline(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[list[Any], list[Any]], list[Any]]
) -> None:
    """Puts a pipeline in place of paddlex's that reads blocks as told.

    Args:
        monkeypatch: the test's.
        read: from the boxes of the blocks, and of the areas, to those of the blocks as they are read.
    """

    class Pipeline:
        def get_layout_parsing_res(self, image: Any, **found: Any) -> list[Any]:
            blocks, areas = (
                [box["coordinate"] for box in found[name]["boxes"]]
                for name in ("layout_det_res", "region_det_res")
            )
            assert all(box[2] <= image.shape[1] and box[3] <= image.shape[0] for box in blocks)
            return [SimpleNamespace(bbox=box) for box in read(blocks, areas)]

    _install(monkeypatch, PIPELINE, _LayoutParsingPipelineV2=Pipeline)


def uninstall(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no paddlex, not even where there is one."""
    for name in (INFERENCE, PIPELINE):
        monkeypatch.setitem(sys.modules, name, None)


def _install(monkeypatch: pytest.MonkeyPatch, name: str, **content: Any) -> None:
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        package = ".".join(parts[:count])
        if not isinstance(sys.modules.get(package), _FakePackage):
            monkeypatch.setitem(sys.modules, package, _FakePackage(package))
    for key, value in content.items():
        setattr(sys.modules[name], key, value)


def _told(region: Mapping[str, Any]) -> dict[str, Any]:
    told = {"label": region["label"], "score": region["score"], "coordinate": region["box"]}
    return told | ({} if region["polygon"] is None else {"polygon_points": region["polygon"]})
