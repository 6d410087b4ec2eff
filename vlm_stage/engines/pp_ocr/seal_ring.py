"""A seal's ring as an ellipse, found in its ink."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Point
from vlm_stage.engines.pp_ocr.seal_ink import GreyImage, Mask

Points = NDArray[np.float32]

INKED = 128
"""Grey levels below which a pixel of a seal's ink is inked."""
_DIRECTIONS = 180
"""From a seal's middle, in each of which its outermost ink is looked for."""
_MIN_DIRECTIONS = 0.6
"""The share of directions in which there must be ink on the ring."""
_OUTERMOST = 1.45
"""How far out ink may lie, where the ellipse in the picture's box is 1; its corners are at 1.41."""
_TOLERANCES = (0.15, 0.06, 0.03)
"""How far from the ring its outermost ink may lie, in each round of fitting, as a share of its radius."""


@dataclass(frozen=True, slots=True)
class Ring:
    """An ellipse in pixels. `axes` are its diameters, the first turned clockwise from the right by `angle`
    degrees."""

    center: Point
    axes: tuple[float, float]
    angle: float

    @property
    def diameter(self) -> float:
        """The mean of both."""
        return sum(self.axes) / 2

    def radii(self, points: Points) -> NDArray[np.float32]:
        """How far points of shape (n, 2) lie from the middle, where the ellipse is 1."""
        x, y = (points - np.array(self.center, np.float32)).T
        cos, sin = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
        across, along = (x * cos + y * sin) / self.axes[0], (y * cos - x * sin) / self.axes[1]
        return np.asarray(2 * np.hypot(across, along), np.float32)


def fit_ring(ink: GreyImage) -> Ring | None:
    """The ring round a seal's ink; None where its outermost ink is no ellipse.

    The ellipse is fitted to the outermost ink in each direction (cv2.fitEllipseAMS), and again to what of it
    lies close to that ellipse, so that letters seen through a worn ring do not count.

    Args:
        ink: the picture of a seal, of shape (height, width), which ends about where the ring does.
    """
    height, width = ink.shape
    ring = Ring((width / 2, height / 2), (float(width), float(height)), 0.0)
    outermost = _outermost(ink < INKED, ring)
    for tolerance in _TOLERANCES:
        near = outermost[np.abs(ring.radii(outermost) - 1) < tolerance]
        # In the first round all count: an oval seal that is turned does not touch the middles of its box.
        chosen = outermost if tolerance == _TOLERANCES[0] else near
        if len(chosen) < _MIN_DIRECTIONS * _DIRECTIONS:
            return None
        (x, y), axes, angle = cv2.fitEllipseAMS(chosen)
        ring = Ring((x, y), (axes[0], axes[1]), angle)
    on_ring = np.abs(ring.radii(outermost) - 1) < _TOLERANCES[-1]
    return ring if np.count_nonzero(on_ring) >= _MIN_DIRECTIONS * _DIRECTIONS else None


def _outermost(mask: Mask, ring: Ring) -> Points:
    """The inked pixel furthest from the middle in each direction, as points of shape (n, 2)."""
    y, x = np.nonzero(mask)
    points = np.stack([x + 0.5, y + 0.5], axis=1).astype(np.float32)
    radii = ring.radii(points)
    points, radii = points[radii <= _OUTERMOST], radii[radii <= _OUTERMOST]
    offset = (points - np.array(ring.center, np.float32)) / np.array(ring.axes, np.float32)
    turn = np.arctan2(offset[:, 1], offset[:, 0]) / (2 * np.pi) % 1
    direction = (turn * _DIRECTIONS).astype(int) % _DIRECTIONS
    order = np.lexsort((-radii, direction))
    _, first = np.unique(direction[order], return_index=True)
    return points[order[first]]
