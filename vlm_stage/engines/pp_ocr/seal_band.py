"""The band inside a seal's ring, unrolled to a straight strip."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box, Point, RgbImage
from vlm_stage.engines.pp_ocr.seal_ink import GreyImage
from vlm_stage.engines.pp_ocr.seal_ring import INKED, Ring

Map = NDArray[np.float32]

STRIP_DIAMETER = 320.0
"""The seal's diameter in pixels of the strip, where letters become 32 to 45 pixels high."""
OUTER, INNER = -0.01, 0.30
"""Between which depths below the ring's outer edge the strip lies, in diameters, as all depths here."""
_LETTERS = (0.06, 0.16)
"""Depths between which the name's letters have ink on any seal."""
_MIDDLE_OF_LETTERS = 0.12
"""The depth at which the strip is as long as the band."""
_STEPS = 3600
"""In which the ellipse is followed; between them all is linear."""
_DOWN = 180.0
"""Degrees, clockwise from the top."""
_BARE = 0.04
"""Of a column of the band that may be inked between two letters or two words."""


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Where each pixel of the strip, of shape (height, width), is in the seal's picture."""

    x: Map
    y: Map
    start: float
    """Degrees, clockwise from the top of the seal, at which the strip begins."""

    def straighten(self, ink: GreyImage) -> RgbImage:
        """The band of a seal's ink as an image of shape (height, width, 3)."""
        strip = cv2.remap(
            ink, self.x, self.y, cv2.INTER_CUBIC, borderMode=cv2.BORDER_CONSTANT, borderValue=255
        )
        return np.repeat(np.asarray(strip, np.uint8)[:, :, None], 3, axis=2)

    def outline(self, box: Box) -> tuple[Point, ...]:
        """The outline in the seal's picture of a box of the strip: an arc from left to right and back."""
        height, width = self.x.shape
        top, bottom = (int(np.clip(y, 0, height - 1)) for y in (box.top, box.bottom))
        columns = np.arange(max(0, int(box.left)), min(width, int(box.right) + 1))
        there = zip(self.x[top, columns], self.y[top, columns], strict=True)
        back = zip(self.x[bottom, columns[::-1]], self.y[bottom, columns[::-1]], strict=True)
        return tuple((float(x), float(y)) for x, y in (*there, *back))

    def direction(self, box: Box) -> float:
        """Degrees, clockwise from the seal's top, at which the middle of a box of the strip is."""
        return float((self.start + 360 * box.center[0] / self.x.shape[1]) % 360)


def unroll(ring: Ring, start: float, depths: tuple[float, float] = (OUTER, INNER)) -> Band:
    """The strip that begins at a direction and runs once round clockwise, so that outer edges are at its top.

    Lines of the strip keep their distance from the ring, as lines of letters do, in an oval too; columns are
    as wide as they are high at the depth of the letters.

    Args:
        ring: in pixels of the seal's picture.
        start: degrees, clockwise from the top.
        depths: of the strip's top and bottom.
    """
    angles = np.linspace(0, 2 * np.pi, _STEPS + 1)
    turn = math.radians(ring.angle)
    edge = _turned(ring.axes[0] / 2 * np.cos(angles), ring.axes[1] / 2 * np.sin(angles), turn)
    outward = _turned(np.cos(angles) / ring.axes[0], np.sin(angles) / ring.axes[1], turn)
    outward /= np.hypot(*outward)
    letters = edge - _MIDDLE_OF_LETTERS * ring.diameter * outward
    run = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(letters)))])
    scale = STRIP_DIAMETER / ring.diameter
    first = run[np.argmin(np.abs((_clockwise(letters) - start + 180) % 360 - 180))]
    along = (first + np.arange(round(run[-1] * scale)) / scale) % run[-1]
    step = np.interp(along, run, np.arange(_STEPS + 1))
    edge, outward = _at(edge, step), _at(outward, step)
    count = round((depths[1] - depths[0]) * STRIP_DIAMETER)
    depth = depths[0] * ring.diameter + np.arange(count)[:, None] / scale
    x, y = (ring.center[i] + edge[i] - depth * outward[i] - 0.5 for i in range(2))
    return Band(np.asarray(x, np.float32), np.asarray(y, np.float32), start)


def widest_gap(ink: GreyImage, ring: Ring) -> float:
    """The direction of the middle of the longest part of the band without letters, in degrees clockwise from
    the top; straight down where all of it has letters, or none."""
    strip = unroll(ring, _DOWN, _LETTERS).straighten(ink)[:, :, 0]
    inked = np.flatnonzero((strip < INKED).mean(axis=0) > _BARE)
    width = strip.shape[1]
    if not inked.size:
        return _DOWN
    gaps = np.diff(np.append(inked, inked[0] + width))
    widest = int(gaps.argmax())
    if gaps[widest] <= 1:
        return _DOWN
    return float((_DOWN + 360 * (inked[widest] + gaps[widest] / 2) / width) % 360)


def _turned(x: NDArray[np.float64], y: NDArray[np.float64], turn: float) -> NDArray[np.float64]:
    """Points turned clockwise about the origin; shape (2, n)."""
    cos, sin = math.cos(turn), math.sin(turn)
    return np.stack([x * cos - y * sin, x * sin + y * cos])


def _clockwise(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The directions of points from the origin, in degrees clockwise from the top."""
    return np.asarray(np.degrees(np.arctan2(points[0], -points[1])) % 360)


def _at(points: NDArray[np.float64], step: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points between those of shape (2, n) at broken steps."""
    return np.stack([np.interp(step, np.arange(points.shape[1]), row) for row in points])
