"""The reading order of PP-StructureV3 as paddlex 3.7.2 itself finds it, without any of its networks.

Its pipeline object is made without its models; a layout detection's and a text detection's results go in, and
the steps behind them run as they are.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from arcscribe.types import Box
from layout_stage.engines.paddlex_import import layout_parsing_pipeline
from layout_stage.parts import Part


def paddlex_order(parts: Sequence[Part], areas: Sequence[Box] = ()) -> tuple[int, ...]:
    """The indexes of a page's parts in paddlex's order: each exactly once.

    paddlex drops the smaller of two blocks that overlap by half. Here it follows the block that holds most
    of it, and what is held by none comes last.

    Args:
        parts: of one page, boxes in pixels.
        areas: what block layout found; without any, the page is one area.
    """
    order = blocks_in_order(parts, areas)
    for i in sorted(set(range(len(parts))) - set(order)):
        shares = [parts[i].box.coverage_by(parts[k].box) for k in order]
        best = max(shares, default=0.0)
        order.insert(shares.index(best) + 1 if best else len(order), i)
    return tuple(order)


def blocks_in_order(parts: Sequence[Part], areas: Sequence[Box]) -> list[int]:
    """The indexes of the parts that paddlex keeps, as it reads them.

    Raises:
        InvalidConfig: there is no paddlex.
    """
    if not parts:
        return []
    made = layout_parsing_pipeline()
    pipeline = made.__new__(made)
    pipeline.general_ocr_pipeline = _NoRecognition()
    with np.errstate(divide="ignore", invalid="ignore"):  # it divides by the height of texts without lines
        blocks = pipeline.get_layout_parsing_res(
            _blank(parts),
            region_det_res={"boxes": [_box("Region", area) for area in areas]},
            layout_det_res={"boxes": [_box(part.label or part.kind.value, part.box) for part in parts]},
            overall_ocr_res=_text_lines(parts),
            table_res_list=[],
            seal_res_list=[],
            chart_res_list=[],
            formula_res_list=[],
        )
    # A block is known again by its box only; of several with the same box any is the other.
    places: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for i in reversed(range(len(parts))):
        places[tuple(_pixels(parts[i].box))].append(i)
    boxes = [tuple(map(int, block.bbox)) for block in blocks]
    return [places[box].pop() for box in boxes if places[box]]


class _NoRecognition:
    """In place of the text recogniser, which is asked where a line lies in two parts or in none."""

    text_rec_score_thresh = 0.0

    def text_rec_model(self, images: Sequence[Any]) -> list[dict[str, Any]]:
        return [{"rec_score": 1.0, "rec_text": "text"} for _ in images]


def _blank(parts: Sequence[Part]) -> Any:
    """A page as large as its parts need: only crops are taken of it, which nobody reads."""
    height, width = (max(getattr(_whole(part.box), side) for part in parts) for side in ("bottom", "right"))
    return np.full((int(height), int(width), 3), 255, np.uint8)


def _whole(box: Box) -> Box:
    """The box in whole pixels, as paddlex cuts it off, and at least one in size."""
    left, top = math.floor(box.left), math.floor(box.top)
    return Box(left, top, max(left + 1, math.floor(box.right)), max(top + 1, math.floor(box.bottom)))


def _pixels(box: Box) -> list[int]:
    whole = _whole(box)
    return [int(side) for side in (whole.left, whole.top, whole.right, whole.bottom)]


def _box(label: str, box: Box) -> dict[str, Any]:
    return {"label": label, "coordinate": _pixels(box), "score": 0.9}


def _text_lines(parts: Sequence[Part]) -> dict[str, Any]:
    boxes = [line.box for part in parts for line in part.lines]
    polygons = [np.array(box.to_polygon()) for box in boxes]
    return {
        "dt_polys": list(polygons),
        "rec_polys": list(polygons),
        "rec_boxes": np.array([(box.left, box.top, box.right, box.bottom) for box in boxes]),
        "rec_texts": ["text" for _ in boxes],
        "rec_scores": [1.0 for _ in boxes],
        "rec_labels": ["text" for _ in boxes],
    }
