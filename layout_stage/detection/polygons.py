"""Choosing a shape for each thing on the page (paddlex 3.7.2, `_normalize_layout_polygon`)."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from arcscribe.types import Box
from layout_stage.detection.detection_settings import PolygonShape
from layout_stage.detection.detections import Candidate, Points
from layout_stage.detection.outlines import outline
from layout_stage.detection.polygon_overlap import polygon_iou, shared_by_smaller
from layout_stage.parts import PageSize

_FEWEST_CORNERS = 4
_NO_BUT_THE_BOX = 0.95
"""The overlap of the box with the least rectangle round the outline from which on the box will do."""
_NO_BUT_A_QUAD = 0.8
"""The overlap of the outline with that rectangle from which on the rectangle will do."""
_APART = 0.01
"""The most that a rectangle's box may share with what was read before it."""
_WIDE = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """What a thing's mask says of its shape."""

    points: Points
    """Corners, which may lie over the page's edges; shape (n, 2), in pixels of the page."""
    is_box: bool
    """Whether they are the corners of the box."""


def polygons(candidates: Sequence[Candidate], size: PageSize, shape: PolygonShape) -> list[Outline | None]:
    """For each candidate its outline; None where it has no mask, or none is asked for.

    Args:
        candidates: in reading order, their boxes in whole pixels.
        size: the page's.
        shape: what outlines may be.
    """
    if shape is PolygonShape.RECT:
        return [None] * len(candidates)
    widest = _widest(candidates)
    found: list[Outline | None] = []
    before: Points | None = None
    for candidate in candidates:
        rect = _corners(candidate.box)
        drawn = _drawn(candidate, size, widest)
        before = rect if drawn is None else _shaped(drawn, rect, before, shape)
        found.append(None if candidate.mask is None else Outline(before, before is rect))
    return found


def _widest(candidates: Sequence[Candidate]) -> float:
    """What paddlex takes for the width of the widest box: it subtracts tops from right sides.

    Its outlines have the corners that follow from it, so these have them as well.
    """
    return max((c.box.right - c.box.top for c in candidates), default=0.0)


def _drawn(candidate: Candidate, size: PageSize, widest: float) -> Points | None:
    if candidate.mask is None:
        return None
    width = candidate.box.width
    points = outline(candidate.mask, candidate.box, size, width if width > _WIDE * widest else widest)
    return points if points is not None and len(points) >= _FEWEST_CORNERS else None


def _shaped(drawn: Points, rect: Points, before: Points | None, shape: PolygonShape) -> Points:
    """The simplest of the allowed shapes that says what an outline says."""
    if shape is PolygonShape.POLY:
        return drawn
    quad = _quad(drawn)
    if shape is PolygonShape.QUAD:
        return quad
    if polygon_iou(rect, quad) >= _NO_BUT_THE_BOX:
        return rect
    crowded = before is not None and shared_by_smaller(before, rect) >= _APART
    return quad if polygon_iou(drawn, quad) >= _NO_BUT_A_QUAD and not crowded else drawn


def _quad(points: Points) -> Points:
    """The least rectangle round points: its corners from the top left one, clockwise as one sees it."""
    corners = np.asarray(cv2.boxPoints(cv2.minAreaRect(points.astype(np.float32))), np.float64)
    away = corners - corners.mean(axis=0)
    turning = corners[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]
    return np.roll(turning, -int(np.argmin(turning.sum(axis=1))), axis=0)


def _corners(box: Box) -> Points:
    return np.trunc(np.array(box.to_polygon(), np.float64))
