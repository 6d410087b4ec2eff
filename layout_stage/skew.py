"""Small tilts of a scanned page: found from its lines, taken out before analysis, and put back."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from arcscribe.types import Box, Point, RgbImage, TextLine, enclosing_box
from layout_stage.parts import Part, characters, length

_LEAST, _MOST = 0.15, 15.0
"""Degrees of a tilt that is worth a turn, and that a scan has at most: 0.15 moves the end of a line on A4 by
an eighth of its height."""
_MIN_CHARACTERS = 6.0
"""Square characters of a line whose tilt counts."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of the page about its middle, in degrees clockwise; by 0 it leaves everything as it is."""

    angle: float
    center: Point

    def point(self, point: Point) -> Point:
        """Where a point comes to lie."""
        cosine, sine = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
        x, y = point[0] - self.center[0], point[1] - self.center[1]
        return self.center[0] + cosine * x - sine * y, self.center[1] + sine * x + cosine * y

    def line(self, line: TextLine) -> TextLine:
        """Where a line comes to lie."""
        if not self.angle:
            return line
        polygon = tuple(self.point(point) for point in line.polygon)
        return replace(line, polygon=polygon, box=bounds(polygon))

    def part(self, part: Part) -> Part:
        """Where a part and its lines come to lie; its box is what encloses its turned polygon."""
        if not self.angle:
            return part
        polygon = tuple(self.point(point) for point in part.polygon)
        return replace(part, polygon=polygon, box=bounds(polygon), lines=tuple(map(self.line, part.lines)))

    def image(self, image: RgbImage) -> RgbImage:
        """The turned page, of the same size; what turns in from outside is white."""
        if not self.angle:
            return image
        height, width = image.shape[:2]
        matrix = cv2.getRotationMatrix2D(self.center, -self.angle, 1.0)
        turned = cv2.warpAffine(
            image,
            matrix,
            (width, height),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=(255, 255, 255),
        )
        return np.asarray(turned, np.uint8)

    @property
    def back(self) -> "Turn":
        """The turn that undoes this one."""
        return Turn(-self.angle, self.center)


def bounds(polygon: Sequence[Point]) -> Box:
    """The box round a polygon."""
    return enclosing_box(Box(x, y, x, y) for x, y in polygon)


def straightening(lines: Sequence[TextLine], width: int, height: int) -> Turn:
    """The turn that makes a page's lines level: none where they are, or where they lie in all directions."""
    long = [line for line in lines if characters(line) >= _MIN_CHARACTERS]
    angle = _median_tilt(long)
    if not _LEAST <= abs(angle) <= _MOST:
        angle = 0.0
    return Turn(-angle, (width / 2, height / 2))


def tilt_of(line: TextLine) -> float:
    """The angle in degrees, -90 to 90, clockwise, between the way a line is read and the page's axis."""
    (x0, y0), (x1, y1) = line.polygon[0], line.polygon[3 if line.vertical else 1]
    angle = math.degrees(math.atan2(y1 - y0, x1 - x0)) - (90.0 if line.vertical else 0.0)
    return (angle + 90.0) % 180.0 - 90.0


def _median_tilt(lines: Sequence[TextLine]) -> float:
    """The median, each line counted by its length; 0 without lines."""
    total, half = 0.0, sum(map(length, lines)) / 2
    for line in sorted(lines, key=tilt_of):
        total += length(line)
        if total >= half:
            return tilt_of(line)
    return 0.0
