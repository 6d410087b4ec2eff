"""The order that paddlex 3.7.2 itself gives a page, without any of its networks.

Its pipeline object is made without its models; a layout detection's and a text detection's result go in, and
the steps behind them run as they are.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from paddlex.inference.pipelines.layout_parsing.pipeline_v2 import (  # type: ignore[import-not-found]
    _LayoutParsingPipelineV2,
)

from tests.layout_stage.block_order.typesetter import HEIGHT, WIDTH, GeneratedPage


def paddlex_order(page: GeneratedPage) -> list[int]:
    """The indexes of a page's parts as paddlex reads them.

    Raises:
        RuntimeError: paddlex dropped a part, or two have the same box.
    """
    pipeline = _LayoutParsingPipelineV2.__new__(_LayoutParsingPipelineV2)
    pipeline.general_ocr_pipeline = _NoRecognition()
    blocks = pipeline.get_layout_parsing_res(
        np.full((HEIGHT, WIDTH, 3), 255, np.uint8),
        region_det_res={"boxes": [_box("Region", area) for area in page.areas]},
        layout_det_res={"boxes": [_box(part.label, part.box) for part in page.parts]},
        overall_ocr_res=_text_lines(page),
        table_res_list=[],
        seal_res_list=[],
        chart_res_list=[],
        formula_res_list=[],
    )
    boxes = [tuple(map(int, _edges(part.box))) for part in page.parts]
    order = [boxes.index(tuple(map(int, block.bbox))) for block in blocks]
    if sorted(order) != list(range(len(boxes))):
        raise RuntimeError(f"{page.name}: not all parts come back: {order}")
    return order


class _NoRecognition:
    """In place of the text recogniser, which is asked where a line lies in two parts or in none."""

    text_rec_score_thresh = 0.0

    def text_rec_model(self, images: Sequence[Any]) -> list[dict[str, Any]]:
        return [{"rec_score": 1.0, "rec_text": "text"} for _ in images]


def _edges(box: Any) -> tuple[float, float, float, float]:
    return box.left, box.top, box.right, box.bottom


def _box(label: str, box: Any) -> dict[str, Any]:
    return {"label": label, "coordinate": list(_edges(box)), "score": 0.9}


def _text_lines(page: GeneratedPage) -> dict[str, Any]:
    boxes = [line.box for part in page.parts for line in part.lines]
    polygons = [np.array(box.to_polygon()) for box in boxes]
    return {
        "dt_polys": list(polygons),
        "rec_polys": list(polygons),
        "rec_boxes": np.array([_edges(box) for box in boxes]),
        "rec_texts": ["text" for _ in boxes],
        "rec_scores": [1.0 for _ in boxes],
        "rec_labels": ["text" for _ in boxes],
    }
