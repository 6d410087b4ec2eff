"""Round red seals: found by their colour, as the network knows none, and lifted off the text below."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box, RegionKind, RgbImage, TextLine
from layout_stage.parts import Part

_LABEL = "red ring"
_WORK_SIDE = 800
"""Pixels of the longer side of the page on which seals are sought."""
_MIN_SATURATION, _MIN_VALUE, _RED_HUES = 60, 70, 10
"""Of red ink in OpenCV's HSV, where hues run to 180, and the rest to 255."""
_MAX_BLACK = 110
"""The most red light, of 255, in black ink."""
_MIN_SIDE = 0.05
"""Of the page's longer side: 15 mm on A4, where companies' seals are 30 mm or more across."""
_ROUNDNESS = 0.65
"""A seal's shorter side over its longer one; seals of invoices are ovals of 30 x 40 mm."""
_RIM, _MAX_BEYOND = (0.84, 1.06), 0.03
"""Where a ring lies, if its box's half sides are 1, and the share of its pixels that may lie further out."""
_DIRECTIONS, _MIN_DIRECTIONS = 72, 0.8
"""Into how many directions the rim is parted, and the share of them in which there is ink."""
_MAX_FILL = 0.75
"""Of a seal's box that is inked; a full disc inks 0.79."""
_GAP = 7
"""Pixels, at the working size, that worn ink leaves white in a ring."""
_INSIDE = 0.7
"""Of a line's box, that lies in the seal it belongs to."""

Plane = NDArray[np.uint8]


def find_seals(image: RgbImage) -> tuple[Box, ...]:
    """The boxes of what is red and round and reaches the rim of its box, as a seal's ring does.

    Args:
        image: a page of shape (height, width, 3).
    """
    scale = min(1.0, _WORK_SIDE / max(image.shape[:2]))
    if scale * min(image.shape[:2]) < 1:
        return ()
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    red = cv2.morphologyEx(
        _red(np.asarray(small, np.uint8)), cv2.MORPH_CLOSE, np.ones((_GAP, _GAP), np.uint8)
    )
    count, labels, stats, _ = cv2.connectedComponentsWithStats(red, connectivity=8)
    found = []
    for index in range(1, count):
        x, y, width, height = (int(v) for v in stats[index][:4])
        large = min(width, height) >= _MIN_SIDE * max(small.shape[:2])
        if large and _is_ring(labels[y : y + height, x : x + width] == index):
            found.append(Box(x / scale, y / scale, (x + width) / scale, (y + height) / scale))
    return tuple(found)


def lift_seals(image: RgbImage, seals: Sequence[Box]) -> RgbImage:
    """The page with its seals off: in red light red ink is nearly white, and black ink stays black."""
    lifted = image.copy() if seals else image
    for seal in seals:
        part = lifted[_slices(seal)]
        part[:] = part[:, :, :1]
    return lifted


def stamped_lines(image: RgbImage, seal: Box, lines: Sequence[TextLine]) -> list[TextLine]:
    """Those of the lines that are part of a seal: in it and red. Others are text that it was stamped over."""
    return [line for line in lines if line.box.coverage_by(seal) >= _INSIDE and _is_red(image, line.box)]


def seal_part(seal: Box, lines: Sequence[TextLine]) -> Part:
    """A seal with its own lines."""
    return Part.of(RegionKind.SEAL, _LABEL, 1.0, seal, lines)


def _red(image: RgbImage) -> Plane:
    """1 where a pixel is red."""
    hue, saturation, value = cv2.split(cv2.cvtColor(image, cv2.COLOR_RGB2HSV))
    is_red = (hue <= _RED_HUES) | (hue >= 180 - _RED_HUES)
    return (is_red & (saturation >= _MIN_SATURATION) & (value >= _MIN_VALUE)).astype(np.uint8)


def _is_ring(piece: NDArray[np.bool_]) -> bool:
    """Whether a shape is round or oval, hollow, and on its rim in most directions from its middle."""
    height, width = piece.shape
    if min(width, height) < _ROUNDNESS * max(width, height) or piece.mean() > _MAX_FILL:
        return False
    y, x = np.nonzero(piece)
    across, down = (2 * x + 1) / width - 1, (2 * y + 1) / height - 1
    radius, angle = np.hypot(across, down), np.arctan2(down, across)
    on_rim = (radius >= _RIM[0]) & (radius <= _RIM[1])
    directions = np.unique(((angle[on_rim] / np.pi + 1) / 2 * _DIRECTIONS).astype(int) % _DIRECTIONS)
    beyond = np.count_nonzero(radius > _RIM[1]) / len(radius)
    return len(directions) >= _MIN_DIRECTIONS * _DIRECTIONS and bool(beyond <= _MAX_BEYOND)


def _is_red(image: RgbImage, box: Box) -> bool:
    """Whether what is written in a box is red rather than black."""
    part = image[_slices(box)]
    if part.size == 0:
        return False
    return int(_red(part).sum()) > 2 * int(np.count_nonzero(part[:, :, 0] < _MAX_BLACK))


def _slices(box: Box) -> tuple[slice, slice]:
    return (
        slice(max(0, int(box.top)), max(0, int(box.bottom) + 1)),
        slice(max(0, int(box.left)), max(0, int(box.right) + 1)),
    )
