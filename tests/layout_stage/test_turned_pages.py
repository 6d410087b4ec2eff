"""Pages that lie on their side or tilted: the same kinds of regions as upright, and no wrong turns."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from arcscribe.types import RgbImage
from bench.turns import turned
from layout_stage.analyzer import LayoutAnalyzer
from layout_stage.engines.load import load_analyzer, model_paths
from layout_stage.settings import LayoutSettings
from tests.layout_stage.networks import UPRIGHT, SayingEngine, analyzer_of, drawn, kinds
from tests.layout_stage.pages import line, paragraph

VERTICAL = Path(__file__).parents[2] / "samples" / "documents" / "vertical.png"
ON_ITS_SIDE = (0.0, 1.0, 0.0, 0.0)


class TurningEngine(SayingEngine):
    """Says of the first page that it lies on its side, and how it lies of each page after that."""

    def __init__(self, count: int, *after: Sequence[float]) -> None:
        super().__init__(paragraph(100, 100, 800, count))
        self._answers = [ON_ITS_SIDE, *after]

    def score_orientations(self, image: RgbImage) -> NDArray[np.float32]:  # noqa: ARG002
        return np.array(self._answers.pop(0), np.float32)


AGREEING = ((0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0), UPRIGHT)


@pytest.mark.parametrize(
    ("engine", "rotation"),
    [
        (TurningEngine(20, *AGREEING), 270),
        (TurningEngine(20, *AGREEING[:2], ON_ITS_SIDE), 0),
        (TurningEngine(20, UPRIGHT), 0),
    ],
)
def test_lines_that_run_across_lie_on_their_side_if_the_network_says_so_of_every_turn(
    engine: TurningEngine, rotation: int
) -> None:
    page = drawn(paragraph(100, 100, 800, 20))
    assert analyzer_of(engine).analyze(page).rotation == rotation


def test_a_few_words_are_not_turned_however_sure_the_network_is() -> None:
    engine = TurningEngine(0, *AGREEING)
    assert analyzer_of(engine).analyze(drawn([line(100, 100, 200)])).rotation == 0


@pytest.fixture(scope="module")
def analyzer(model_root: Path) -> LayoutAnalyzer:
    settings = LayoutSettings(models=str(model_root))
    return load_analyzer(settings, model_paths(settings))


@pytest.mark.parametrize(("angle", "rotation"), [(90.0, 270), (-3.0, 0)])
def test_vertical_writing_is_found_again_however_it_lies(
    analyzer: LayoutAnalyzer, angle: float, rotation: int
) -> None:
    page = np.asarray(Image.open(VERTICAL).convert("RGB"))
    upright, askew = analyzer.analyze(page), analyzer.analyze(turned(page, angle))
    assert askew.rotation == rotation
    assert kinds(askew) == kinds(upright)
    assert [len(r.lines) for r in askew.regions] == [len(r.lines) for r in upright.regions]
