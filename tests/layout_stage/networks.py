"""Networks that say what a test wants, and pages to go with them."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.types import PageLayout, RegionKind, RgbImage, StageModel, TextLine
from layout_stage.analyzer import LayoutAnalyzer
from layout_stage.cdla_boxes import LayoutBox
from layout_stage.composing.cdla import CdlaComposer

WIDTH, HEIGHT = 1000, 1400
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


class SayingEngine:
    """Networks that find what they were told."""

    model = StageModel("fake", "fake", "CPU")

    def __init__(
        self,
        lines: Sequence[TextLine],
        boxes: Sequence[LayoutBox] = (),
        orientations: Sequence[float] = UPRIGHT,
    ) -> None:
        self._lines, self._boxes, self._orientations = tuple(lines), tuple(boxes), orientations

    def detect_lines(self, image: RgbImage) -> tuple[TextLine, ...]:  # noqa: ARG002
        return self._lines

    def detect_layout(self, image: RgbImage) -> tuple[LayoutBox, ...]:  # noqa: ARG002
        return self._boxes

    def score_orientations(self, image: RgbImage) -> NDArray[np.float32]:  # noqa: ARG002
        return np.array(self._orientations, np.float32)


def drawn(lines: Sequence[TextLine]) -> RgbImage:
    """A page with strokes where its lines are."""
    page = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    for item in lines:
        box = item.box
        for x in range(int(box.left) + 2, int(box.right) - 4, 12):
            cv2.rectangle(page, (x, int(box.top) + 3), (x + 2, int(box.bottom) - 3), (0, 0, 0), -1)
    return page


def analyzer_of(engine: SayingEngine) -> LayoutAnalyzer:
    """The stage with layout_cdla's part played by the engine too."""
    return LayoutAnalyzer(engine, CdlaComposer(engine.detect_layout))


def analyzed(lines: Sequence[TextLine], boxes: Sequence[LayoutBox] = ()) -> PageLayout:
    return analyzer_of(SayingEngine(lines, boxes)).analyze(drawn(lines))


def kinds(layout: PageLayout) -> list[RegionKind]:
    return [region.kind for region in layout.regions]
