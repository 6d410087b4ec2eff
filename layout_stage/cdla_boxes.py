"""Reading the layout network's maps: PicoDet's class scores and box distributions, without the network.

Yu et al., "PP-PicoDet: A Better Real-Time Object Detector on Mobile Devices", 2021: at each point of four
feature maps the network gives a score for each class, and for each side of a box a distribution over 0 to 7
strides whose mean is the distance from the point.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box
from layout_stage.preprocess import LAYOUT_SIZE

FloatArray = NDArray[np.float32]

LABELS = (
    "text",
    "title",
    "figure",
    "figure_caption",
    "table",
    "table_caption",
    "header",
    "footer",
    "reference",
    "equation",
)
"""layout_cdla's classes, in the order of its `character` metadata."""
_STRIDES = (8, 16, 32, 64)
_OVERLAP_OF_DUPLICATES = 0.5


@dataclass(frozen=True, slots=True)
class LayoutBox:
    """One thing the layout network saw, in pixels of the page."""

    label: str
    score: float
    box: Box


def decode_layout(
    scores: Sequence[FloatArray], distances: Sequence[FloatArray], page: tuple[int, int], threshold: float
) -> tuple[LayoutBox, ...]:
    """The boxes scored at or above the threshold, best first, duplicates within a class removed.

    Args:
        scores: for each stride an array of shape (points, classes).
        distances: for each stride an array of shape (points, 4 * 8).
        page: the page's height and width in pixels.
        threshold: the least score, 0 to 1.
    """
    boxes = np.concatenate([_boxes(d, stride) for d, stride in zip(distances, _STRIDES, strict=True)])
    every_score = np.concatenate(list(scores))
    height, width = page
    boxes *= np.array([width / LAYOUT_SIZE[1], height / LAYOUT_SIZE[0]] * 2, np.float32)
    found: list[LayoutBox] = []
    for index, label in enumerate(LABELS):
        likely = np.flatnonzero(every_score[:, index] >= threshold)
        seen = [
            LayoutBox(label, float(every_score[i, index]), Box(*map(float, boxes[i])).clipped(width, height))
            for i in likely
        ]
        found.extend(without_duplicates(seen))
    return tuple(sorted(found, key=lambda b: -b.score))


def without_duplicates(boxes: Sequence[LayoutBox]) -> list[LayoutBox]:
    """Greedy non-maximum suppression: of boxes that overlap by half or more, the one scored best."""
    kept: list[LayoutBox] = []
    for candidate in sorted(boxes, key=lambda b: -b.score):
        if all(candidate.box.iou(k.box) <= _OVERLAP_OF_DUPLICATES for k in kept):
            kept.append(candidate)
    return kept


def _boxes(distances: FloatArray, stride: int) -> FloatArray:
    """Boxes of shape (points, 4), in pixels of the network's input."""
    bins = distances.shape[1] // 4
    logits = distances.reshape(-1, 4, bins)
    weights = np.exp(logits - logits.max(axis=2, keepdims=True))
    sides = (weights @ np.arange(bins, dtype=np.float32)) / weights.sum(axis=2) * stride
    rows, columns = (-(-side // stride) for side in LAYOUT_SIZE)
    x = (np.tile(np.arange(columns), rows) + 0.5) * stride
    y = (np.repeat(np.arange(rows), columns) + 0.5) * stride
    points = np.stack([x, y, x, y], axis=1).astype(np.float32)
    return np.asarray(points + sides * np.array([-1, -1, 1, 1], np.float32), np.float32)
