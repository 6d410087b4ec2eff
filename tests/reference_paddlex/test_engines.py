"""The stage finds the same with paddlex itself as with its own engine; this needs paddlex."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from arcscribe.types import Region
from layout_stage.analyzer import LayoutAnalyzer
from layout_stage.engines.load import load_analyzer, model_paths
from layout_stage.settings import LayoutSettings
from tests.layout_stage.detection.pages import drawn_pages
from tests.layout_stage.detection.reference import FAMILIES, FIXTURES, ORDERED

pytestmark = pytest.mark.filterwarnings("default")  # what paddlex imports warns of much

_PIXEL, _SCORE = 1.0, 1e-4


def analyzer(engine: str, model_root: Path, family: str) -> LayoutAnalyzer:
    told = {"engine": engine, "models": str(model_root), "model": str(FIXTURES / family)}
    if family not in ORDERED:
        told["block_model"] = str(FIXTURES / "block")
    settings = msgspec.convert(told, LayoutSettings)
    return load_analyzer(settings, model_paths(settings))


def sides(region: Region) -> tuple[float, ...]:
    return region.box.left, region.box.top, region.box.right, region.box.bottom


def in_rows(regions: Iterable[Region]) -> list[Region]:
    """Regions as their places say: the engines' rules order what no model orders, each in its own way."""
    return sorted(regions, key=lambda region: (region.label, *map(round, sides(region))))


@pytest.mark.parametrize("family", FAMILIES)
def test_both_engines_find_the_same_regions_in_the_predicted_order(model_root: Path, family: str) -> None:
    page = drawn_pages()[0]
    official, own = (analyzer(e, model_root, family).analyze(page) for e in ("paddlex", "openvino"))
    assert (official.model.engine, own.model.engine) == ("paddlex", "openvino")
    for one, other in zip(in_rows(official.regions), in_rows(own.regions), strict=True):
        assert (one.label, one.kind, one.lines) == (other.label, other.kind, other.lines)
        np.testing.assert_allclose(sides(one), sides(other), atol=_PIXEL)
        assert one.score == pytest.approx(other.score, abs=_SCORE)
    if family in ORDERED:
        orders = [[r.label for r in layout.regions if r.label] for layout in (official, own)]
        assert orders[0] == orders[1]
