"""Text lines in the map of a PP-OCR detector, without the network.

The map says how likely each pixel lies in the shrunken core of a text line; each connected core becomes a
rectangle, grown back to the size of its line. Where nothing else is said, numbers are those of rapidocr 3.10
for PP-OCRv5 and PP-OCRv6 (`ch_ppocr_det`).
"""

import math
from collections.abc import Sequence

import cv2
import numpy as np
import structlog
from cv2.typing import MatLike
from numpy.typing import NDArray

from arcscribe.types import Box, Point, TextLine

_log = structlog.get_logger()

FloatMap = NDArray[np.float32]
Corners = NDArray[np.float32]
Contour = NDArray[np.int32]

_CORE_THRESHOLD = 0.3
_SCORE_THRESHOLD = 0.5
_UNCLIP_RATIO = 1.6
"""A core grows by this times its area over its perimeter on each side, as in Liao et al."""
_MIN_CORE_SIDE = 3.0
"""In pixels of the map, as the next."""
_MIN_LINE_SIDE = 5.0
_VERTICAL_ASPECT = 1.5
"""Height over width from which PP-OCR takes a quadrangle for a column."""
_SPUR_SCORE, _SPUR_ASPECT = 0.65, 10.0
"""Our own: what a long core must score by itself, and its length squared over its area, to be a line although
its rectangle scores too little."""
_MAX_LINES = 4000
"""Our own, against maps of noise; a full newspaper page has a few hundred."""


def lines_from_map(probabilities: FloatMap, height: int, width: int) -> tuple[TextLine, ...]:
    """The lines in a probability map of shape (h, w), scaled to an image of that height and width."""
    cores = (probabilities > _CORE_THRESHOLD).astype(np.uint8)
    mask = cv2.dilate(cores, np.ones((2, 2), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    scale = np.array([width / mask.shape[1], height / mask.shape[0]], np.float32)
    limit = np.array([width, height], np.float32)
    lines = []
    for contour in _largest(contours):
        found = _line_corners(np.asarray(contour, np.int32), probabilities)
        if found is not None:
            corners, score = found
            lines.append(_text_line(np.clip(corners * scale, 0, limit), score))
    return tuple(sorted(lines, key=lambda line: (line.box.top, line.box.left)))


def _largest(contours: Sequence[MatLike]) -> Sequence[MatLike]:
    """At most `_MAX_LINES` contours: of more than that, the smallest are specks."""
    if len(contours) <= _MAX_LINES:
        return contours
    _log.warning("too many text lines", found=len(contours), kept=_MAX_LINES)
    return sorted(contours, key=cv2.contourArea, reverse=True)[:_MAX_LINES]


def _line_corners(contour: Contour, probabilities: FloatMap) -> tuple[Corners, float] | None:
    """The corners of the line round a core, in pixels of the map, and its score; None where it is no line."""
    (x, y), (side_a, side_b), angle = cv2.minAreaRect(contour)
    if min(side_a, side_b) < _MIN_CORE_SIDE:
        return None
    score = _mean_inside(probabilities, cv2.boxPoints(((x, y), (side_a, side_b), angle)))
    if score < _SCORE_THRESHOLD:
        # A long core with a spur, such as a tall subscript makes, fills its rectangle badly but is no worse a
        # line.
        area = max(1.0, cv2.contourArea(contour))
        score = _mean_inside(probabilities, contour.reshape(-1, 2))
        if score < _SPUR_SCORE or max(side_a, side_b) ** 2 < _SPUR_ASPECT * area:
            return None
        short = max(_MIN_CORE_SIDE, area / max(side_a, side_b))
        side_a, side_b = (side_a, short) if side_a > side_b else (short, side_b)
        moments = cv2.moments(contour)
        x, y = moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]
    # Offsetting a rectangle by d and taking the smallest rectangle round the result adds d on each side.
    grow = _UNCLIP_RATIO * side_a * side_b / (side_a + side_b)
    if min(side_a, side_b) + grow < _MIN_LINE_SIDE:
        return None
    grown = cv2.boxPoints(((x, y), (side_a + grow, side_b + grow), angle))
    return clockwise(np.asarray(grown, np.float32)), score


def _mean_inside(values: FloatMap, corners: MatLike) -> float:
    """The mean of a map inside a polygon of shape (n, 2)."""
    height, width = values.shape
    left, top = np.clip(np.floor(corners.min(axis=0)), 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(np.ceil(corners.max(axis=0)), 0, (width - 1, height - 1)).astype(int)
    mask = np.zeros((bottom - top + 1, right - left + 1), np.uint8)
    cv2.fillPoly(mask, [(corners - (left, top)).astype(np.int32)], 1)
    return float(cv2.mean(values[top : bottom + 1, left : right + 1], mask)[0])


def clockwise(corners: Corners) -> Corners:
    """Four corners, shape (4, 2), clockwise from the top left one, of a quadrangle tilted by less than 45
    degrees."""
    x, y = (corners - corners.mean(axis=0)).T
    ordered = corners[np.argsort(np.arctan2(y, x), kind="stable")]
    # The upper side points to the right. Of a tilted column, both corners of its lower end may lie left of
    # those of its upper end, so that x alone does not tell.
    sides = np.roll(ordered, -1, axis=0) - ordered
    rightward = sides[:, 0] / np.maximum(np.hypot(*sides.T), 1e-9)
    return np.roll(ordered, -int(np.argmax(rightward)), axis=0)


def _text_line(corners: Corners, score: float) -> TextLine:
    polygon: tuple[Point, ...] = tuple((float(x), float(y)) for x, y in corners)
    left, top = corners.min(axis=0)
    right, bottom = corners.max(axis=0)
    across = math.dist(polygon[0], polygon[1])
    down = math.dist(polygon[0], polygon[3])
    box = Box(float(left), float(top), float(right), float(bottom))
    return TextLine(box, polygon, score, vertical=down >= _VERTICAL_ASPECT * across)
