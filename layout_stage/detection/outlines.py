"""From a thing's mask to its outline (paddlex 3.7.2, `layout_analysis/processors.py`)."""

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box
from layout_stage.detection.corners import without_dents
from layout_stage.detection.detections import Mask, Points
from layout_stage.parts import PageSize

_TOLERANCE = 0.004
"""How far an outline may lie from the mask's edge, in parts of the edge's length."""
_MOST_TIMES_PAGE = 2
"""A box wider or higher than so many pages is no place to draw a mask in."""


def outline(mask: Mask, box: Box, size: PageSize, longest: float) -> Points | None:
    """The largest connected piece of a mask within a box, in pixels of the page.

    Args:
        mask: shape (height, width), of the page at another resolution.
        box: where the thing is, in whole pixels of the page.
        size: the page's.
        longest: see `without_dents`.

    Returns:
        its corners, anticlockwise as one sees the page; None where the mask says nothing.
    """
    width, height = int(box.right) - int(box.left), int(box.bottom) - int(box.top)
    if not 0 < width <= _MOST_TIMES_PAGE * size.width or not 0 < height <= _MOST_TIMES_PAGE * size.height:
        return None
    part = _in_box(mask, box, size)
    if not part.any():
        return None
    # What lies on the page is stretched to the whole box, though that may reach over the page's edge: so
    # does paddlex.
    drawn = cv2.resize(part, (width, height), interpolation=cv2.INTER_NEAREST)
    edges, _ = cv2.findContours(drawn, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not edges:
        return None
    edge = max(edges, key=cv2.contourArea)
    corners = cv2.approxPolyDP(edge, _TOLERANCE * cv2.arcLength(edge, closed=True), closed=True)
    points = without_dents(np.asarray(corners, np.float64).reshape(-1, 2), longest)
    return points + np.array([int(box.left), int(box.top)], np.float64)


def _in_box(mask: Mask, box: Box, size: PageSize) -> NDArray[np.uint8]:
    height, width = mask.shape
    x, y = width / size.width, height / size.height
    left, right = (_within(round(side * x), width) for side in (int(box.left), int(box.right)))
    top, bottom = (_within(round(side * y), height) for side in (int(box.top), int(box.bottom)))
    return (mask[top:bottom, left:right] >= 1).astype(np.uint8)


def _within(value: int, most: int) -> int:
    return min(max(value, 0), most)
