"""Greedy non-maximum suppression, as paddlex 3.7.2 does it (`object_detection/processors.py`, `nms`)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from layout_stage.box_arrays import sides
from layout_stage.detection.detections import Candidate

_SAME_LABEL, _OTHER_LABEL = 0.6, 0.98
"""The intersection over union from which on the weaker of two boxes goes."""


def suppressed(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates without those that a better one stands for, best first."""
    ranked = sorted(candidates, key=lambda c: c.content)
    boxes = sides(candidate.box for candidate in ranked)
    labels = np.array([c.label for c in ranked], object)
    left = np.ones(len(ranked), bool)
    kept: list[Candidate] = []
    for place, candidate in enumerate(ranked):
        if not left[place]:
            continue
        kept.append(candidate)
        limits = np.where(labels == candidate.label, _SAME_LABEL, _OTHER_LABEL)
        left &= _iou(boxes[place], boxes) < limits
    return kept


def _iou(box: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Intersection over union; both edges of a box count as its pixels, so that a line has an area."""
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    common = np.prod(np.maximum(0, high - low + 1), axis=1)
    areas = np.prod(others[:, 2:] - others[:, :2] + 1, axis=1)
    return np.asarray(common / (np.prod(box[2:] - box[:2] + 1) + areas - common))
