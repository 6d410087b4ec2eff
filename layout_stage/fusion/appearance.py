"""How lines look: bold or not, level or tilted."""

import math
from collections.abc import Sequence

import cv2
import numpy as np

from arcscribe.types import TextLine
from layout_stage.parts import length, middle, thickness
from layout_stage.ruling_lines import Mask

_BOLD = 1.22
_PEERS = 5
_PEER_SIZE = 1.2
_TILT = 12.0


def bold_lines(lines: Sequence[TextLine], ink: Mask) -> frozenset[TextLine]:
    """The lines whose strokes are wider than those of most lines of about their size."""
    widths = _stroke_widths(lines, ink)
    found = set()
    for line, width in zip(lines, widths, strict=True):
        size = thickness(line)
        peers = [
            (other_width, length(other))
            for other, other_width in zip(lines, widths, strict=True)
            if size / _PEER_SIZE <= thickness(other) <= size * _PEER_SIZE
        ]
        if len(peers) >= _PEERS and width > _BOLD * _weighted_median(peers):
            found.add(line)
    return frozenset(found)


def tilt_of(line: TextLine) -> float:
    """The angle in degrees, -90 to 90, between the way a line is read and the page's axis."""
    (x0, y0), (x1, y1) = line.polygon[0], line.polygon[3 if line.vertical else 1]
    angle = math.degrees(math.atan2(y1 - y0, x1 - x0)) - (90.0 if line.vertical else 0.0)
    return (angle + 90.0) % 180.0 - 90.0


def tilted_lines(lines: Sequence[TextLine]) -> frozenset[TextLine]:
    """The lines that run across the page at an angle unlike most, as watermarks do."""
    usual = middle(map(tilt_of, lines), 0.0)
    return frozenset(line for line in lines if abs(tilt_of(line) - usual) > _TILT)


def _stroke_widths(lines: Sequence[TextLine], ink: Mask) -> list[float]:
    """The mean width of each line's strokes in pixels: twice their area over the length of their outline."""
    solid = (ink > 0).astype(np.uint8)
    outline = solid - cv2.erode(solid, np.ones((3, 3), np.uint8))
    areas, outlines = cv2.integral(solid), cv2.integral(np.asarray(outline, np.uint8))
    height, width = ink.shape
    widths = []
    for line in lines:
        left, right = (min(width, max(0, round(x))) for x in (line.box.left, line.box.right))
        top, bottom = (min(height, max(0, round(y))) for y in (line.box.top, line.box.bottom))
        area, edge = (
            float(s[bottom, right]) - float(s[top, right]) - float(s[bottom, left]) + float(s[top, left])
            for s in (areas, outlines)
        )
        widths.append(2 * area / edge if edge else 0.0)
    return widths


def _weighted_median(values: Sequence[tuple[float, float]]) -> float:
    total, half = 0.0, sum(weight for _, weight in values) / 2
    for value, weight in sorted(values):
        total += weight
        if total >= half:
            return value
    return 0.0
