"""Settings as paddlex's layout detection wants them, and its answers as detections."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from arcscribe.types import Box, Point
from layout_stage.detection.detection_settings import (
    DEFAULT_THRESHOLD,
    DetectionSettings,
    MergeMode,
)
from layout_stage.detection.detections import Detection
from layout_stage.detection.inference_config import LayoutModelConfig
from layout_stage.parts import PageSize

ValueT = TypeVar("ValueT")

_SAME_CORNER = 1.0
"""By how much, in pixels, the corners of an outline that is its box may differ from the box's."""


def predict_arguments(settings: DetectionSettings, config: LayoutModelConfig) -> dict[str, Any]:
    """What paddlex's predictor is called with: values by class number where settings have them by label."""
    labels = config.labels
    arguments: dict[str, Any] = {
        "threshold": _by_class(settings.threshold, labels, DEFAULT_THRESHOLD),
        "layout_nms": settings.nms,
        "layout_merge_bboxes_mode": _by_class(settings.merge, labels, MergeMode.UNION),
        "layout_unclip_ratio": _by_class(settings.unclip, labels, (1.0, 1.0)),
    }
    if config.family.predicts_order:
        arguments["layout_shape_mode"] = settings.shape
    return arguments


def _by_class(value: ValueT | Mapping[str, ValueT], labels: Sequence[str], default: ValueT) -> Any:
    if isinstance(value, Mapping):
        return {number: value.get(label, default) for number, label in enumerate(labels)}
    return value


def detections(boxes: Iterable[Mapping[str, Any]], size: PageSize, *, ordered: bool) -> tuple[Detection, ...]:
    """What paddlex found on a page, in its order.

    Args:
        boxes: its answer's: `label`, `score`, `coordinate`, and `polygon_points` where there are masks.
        size: the page's.
        ordered: whether they come in a predicted reading order.
    """
    found = ((box, Box(*map(float, box["coordinate"])).clipped(size.width, size.height)) for box in boxes)
    return tuple(
        Detection(
            told["label"],
            float(told["score"]),
            box,
            place if ordered else None,
            _outline(told.get("polygon_points"), box, size),
        )
        for place, (told, box) in enumerate(found)
        if box.area > 0
    )


def _outline(points: Any, box: Box, size: PageSize) -> tuple[Point, ...] | None:
    """An outline cut at the page's edges; None where it is the box itself."""
    if points is None:
        return None
    inside = np.clip(np.asarray(points, np.float64).reshape(-1, 2), 0, (size.width, size.height))
    corners = np.array(box.to_polygon())
    if len(inside) == len(corners):
        distances = np.abs(inside[:, None] - corners[None]).max(axis=2)
        if (distances.min(axis=0) <= _SAME_CORNER).all():
            return None
    return tuple((x, y) for x, y in inside.tolist())
