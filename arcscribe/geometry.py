"""Moving pixels and text lines between a page, its upright turn, and parts cut out of it."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from arcscribe.types import Point, RgbImage, TextLine


def turn_upright(pixels: RgbImage, rotation: int) -> RgbImage:
    """A page of shape (height, width, 3), turned clockwise by 0, 90, 180 or 270 degrees; contiguous.

    Raises:
        ValueError: it is none of these.
    """
    if rotation % 90:
        raise ValueError(f"cannot turn a page by {rotation} degrees")
    return np.ascontiguousarray(np.rot90(pixels, -(rotation // 90) % 4))


def shifted_line(line: TextLine, dx: float, dy: float) -> TextLine:
    """The line moved by so many pixels to the right and down."""
    return replace(line, box=line.box.shifted(dx, dy), polygon=shifted_points(line.polygon, dx, dy))


def shifted_points(points: Iterable[Point], dx: float, dy: float) -> tuple[Point, ...]:
    """The points moved by so many pixels to the right and down."""
    return tuple((x + dx, y + dy) for x, y in points)
