"""The place of a region that lies tilted on its page, as tables do on a scan, and its pixels made level."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from arcscribe.types import Box, Point, RgbImage, TextLine, enclosing_box

_LEAST, _MOST = 1.0, 15.0
"""Degrees of a tilt that disturbs who reads a table's structure, and that a scan has at most."""
_SQUARE = 0.02
"""The cosine of a corner up to which it is a right one."""


@dataclass(frozen=True, slots=True)
class TiltedFrame:
    """A tilted rectangle of a page: its first corner, the way its upper side points, its size in pixels."""

    corner: Point
    direction: Point
    width: int
    height: int

    def pixels(self, page: RgbImage) -> RgbImage:
        """What is in it, level, as uint8 of shape (height, width, 3); white where it leaves the page."""
        (x, y), (cosine, sine) = self.corner, self.direction
        to_page = np.array([[cosine, -sine, x], [sine, cosine, y]])
        level = cv2.warpAffine(
            page,
            to_page,
            (self.width, self.height),
            flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=(255, 255, 255),
        )
        return np.asarray(level, np.uint8)

    def line(self, line: TextLine) -> TextLine:
        """A line of the page, in pixels of the frame."""
        polygon = tuple(map(self._inside, line.polygon))
        return replace(line, polygon=polygon, box=enclosing_box(Box(x, y, x, y) for x, y in polygon))

    def on_page(self, point: Point) -> Point:
        """Where a point of the frame lies on the page."""
        (x, y), (cosine, sine) = self.corner, self.direction
        return x + cosine * point[0] - sine * point[1], y + sine * point[0] + cosine * point[1]

    def _inside(self, point: Point) -> Point:
        (cosine, sine), x, y = self.direction, point[0] - self.corner[0], point[1] - self.corner[1]
        return cosine * x + sine * y, cosine * y - sine * x


def tilted_frame(polygon: Sequence[Point], margin: float) -> TiltedFrame | None:
    """The frame round a rectangle and its margin; None where the polygon is no rectangle, or level."""
    if len(polygon) != 4:
        return None
    first, second, third, fourth = (np.array(point, np.float64) for point in polygon)
    across, down = second - first, fourth - first
    width, height = float(np.hypot(*across)), float(np.hypot(*down))
    if min(width, height) < 1 or abs(float(across @ down)) > _SQUARE * width * height:
        return None
    if float(np.abs(first + third - second - fourth).max()) > 1:
        return None
    right, below = across / width, down / height
    tilt = math.degrees(math.atan2(right[1], right[0]))
    if not _LEAST <= abs(tilt) <= _MOST or below[1] <= 0:
        return None
    corner = first - margin * (right + below)
    size = math.ceil(width + 2 * margin), math.ceil(height + 2 * margin)
    return TiltedFrame((float(corner[0]), float(corner[1])), (float(right[0]), float(right[1])), *size)
