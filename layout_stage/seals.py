"""Round and oval seals: found by their colour, as the network knows none, and lifted off the text below.

On a page without colour they are found if their ink is lighter than that of the text.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box, RegionKind, RgbImage, TextLine
from layout_stage.box_arrays import common_areas, sides
from layout_stage.parts import Part
from layout_stage.seal_ink import black_ink, grey_ink, has_color, red_ink, without_seal

_WORK_SIDE = 800
"""Pixels of the longer side of the page on which seals are sought."""
_MIN_SIDE = 0.05
"""Of the page's longer side: 15 mm on A4, where companies' seals are 30 mm or more across."""
_ROUNDNESS = 0.65
"""A seal's shorter side over its longer one; seals of invoices are ovals of 30 x 40 mm."""
_RIM, _MAX_BEYOND = (0.84, 1.06), 0.03
"""Where a ring lies, if the ellipse round it is 1, and the share of its pixels that may lie further out."""
_DIRECTIONS, _MIN_DIRECTIONS = 72, 0.8
"""Into how many directions the rim is parted, and the share of them in which there is ink."""
_FEWEST_CORNERS = 12
"""Of the hull of a ring, which has about as many as pixels of a quarter of its width."""
_MAX_FILL = 0.75
"""Of a seal's box that is inked; a full disc inks 0.79."""
_INKED = 90
"""Of 255, that is inked of a pixel at the working size."""
_GAP = 7
"""Pixels, at the working size, that worn ink leaves white in a ring."""
_MAX_BLACK_SHARE = 0.035
"""Of a seal's own line that is black; text below a seal inks 0.04 to 0.12 of its line's box."""
_SAME = 0.3
"""The intersection over union of two boxes of one line."""
_INSIDE = 0.7
"""Of a line's box, that lies in the seal it belongs to."""


def find_seals(image: RgbImage, *, colored: bool | None = None) -> tuple[Box, ...]:
    """The boxes of what has a seal's colour, is round and reaches the rim of its box, as a seal's ring does.

    Args:
        image: a page of shape (height, width, 3).
        colored: whether the page has colour, where that is known.
    """
    scale = min(1.0, _WORK_SIDE / max(image.shape[:2]))
    if scale * min(image.shape[:2]) < 1:
        return ()
    ink = red_ink(image) if _is_colored(image, colored) else grey_ink(image)
    small = (
        cv2.resize(255 * ink, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        if scale < 1
        else 255 * ink
    )
    inked = (np.asarray(small) > _INKED).astype(np.uint8)
    joined = cv2.morphologyEx(inked, cv2.MORPH_CLOSE, np.ones((_GAP, _GAP), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(np.asarray(joined, np.uint8), connectivity=8)
    found = []
    for index in range(1, count):
        x, y, width, height = (int(v) for v in stats[index][:4])
        large = min(width, height) >= _MIN_SIDE * max(small.shape[:2])
        if large and _is_ring(labels[y : y + height, x : x + width] == index):
            found.append(Box(x / scale, y / scale, (x + width) / scale, (y + height) / scale))
    return tuple(found)


def lift_seals(image: RgbImage, seals: Sequence[Box], *, colored: bool | None = None) -> RgbImage:
    """The page with its seals off, and the black text below them left."""
    if not seals:
        return image
    lifted, in_color = image.copy(), _is_colored(image, colored)
    for seal in seals:
        part = lifted[_slices(seal)]
        if part.size:
            part[:] = without_seal(part, colored=in_color)
    return lifted


def stamped_lines(
    image: RgbImage, seal: Box, lines: Sequence[TextLine], *, colored: bool | None = None
) -> list[TextLine]:
    """Those of the lines that are part of a seal: in it and of its colour. Others are text below it."""
    in_color = _is_colored(image, colored)
    return [
        line
        for line in lines
        if line.box.coverage_by(seal) >= _INSIDE and _is_stamped(image, line.box, colored=in_color)
    ]


def unlike(lines: Sequence[TextLine], others: Sequence[TextLine]) -> list[TextLine]:
    """Those of the lines that are none of the others, found a second time."""
    boxes = sides(other.box for other in others)
    areas = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    kept = []
    for line in lines:
        common = common_areas(line.box, boxes)
        if not (common >= _SAME * np.maximum(1e-9, areas + line.box.area - common)).any():
            kept.append(line)
    return kept


def seal_part(seal: Box, lines: Sequence[TextLine]) -> Part:
    """A seal with its own lines."""
    return Part.of(RegionKind.SEAL, "", 1.0, seal, lines)


def _is_ring(piece: NDArray[np.bool_]) -> bool:
    """Whether a shape is round or oval, hollow, and on its rim in most directions from its middle."""
    if piece.mean() > _MAX_FILL:
        return False
    points = np.argwhere(piece)[:, ::-1].astype(np.float32) + 0.5
    # Of an oval, the hull touches its box wherever it is turned to.
    hull = cv2.convexHull(points)
    if len(hull) < _FEWEST_CORNERS:
        return False
    (middle_x, middle_y), axes, turn = cv2.fitEllipseAMS(hull)
    if min(axes) < _ROUNDNESS * max(axes):
        return False
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    x, y = (points - (middle_x, middle_y)).T
    across, down = 2 * (x * cos + y * sin) / axes[0], 2 * (y * cos - x * sin) / axes[1]
    radius, angle = np.hypot(across, down), np.arctan2(down, across)
    on_rim = (radius >= _RIM[0]) & (radius <= _RIM[1])
    directions = np.unique(((angle[on_rim] / np.pi + 1) / 2 * _DIRECTIONS).astype(int) % _DIRECTIONS)
    beyond = np.count_nonzero(radius > _RIM[1]) / len(radius)
    return len(directions) >= _MIN_DIRECTIONS * _DIRECTIONS and bool(beyond <= _MAX_BEYOND)


def _is_colored(image: RgbImage, known: bool | None) -> bool:
    return has_color(image) if known is None else known


def _is_stamped(image: RgbImage, box: Box, *, colored: bool) -> bool:
    """Whether what is written in a box is a seal's ink, and not black text under a broad stroke of it."""
    part = image[_slices(box)]
    if part.size == 0:
        return False
    ink = float((red_ink(part) if colored else grey_ink(part)).mean())
    black = float(black_ink(part, colored=colored).mean())
    return ink > 2 * black and black <= _MAX_BLACK_SHARE


def _slices(box: Box) -> tuple[slice, slice]:
    return (
        slice(max(0, int(box.top)), max(0, int(box.bottom) + 1)),
        slice(max(0, int(box.left)), max(0, int(box.right) + 1)),
    )
