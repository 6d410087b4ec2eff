"""Finding round red seals by their colour; the layout network knows none."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box, RegionKind, RgbImage, TextLine
from layout_stage.parts import Part

_LABEL = "red ring"
_WORK_SIDE = 800
_MIN_SATURATION = 60
_MIN_VALUE = 70
_RED_HUES = 10
_MAX_BLACK = 110
_MIN_SIDE = 0.04
_MAX_SIDE = 1.0
_ROUNDNESS = 0.75


def find_seals(image: RgbImage, lines: tuple[TextLine, ...]) -> list[Part]:
    """Red, round things that reach the rim of their box, as seals reach a ring.

    A seal holds those lines only that lie in its ring and are themselves red: text that it was stamped over, such as
    the names in a signature block, stays text.
    """
    scale = _WORK_SIDE / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    scale = min(1.0, scale)
    red = _red(small)
    closed = cv2.morphologyEx(red, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    longest = max(small.shape[:2])
    parts = []
    for index in range(1, count):
        x, y, width, height, _ = stats[index]
        piece = labels[y : y + height, x : x + width] == index
        sized = _MIN_SIDE * longest <= min(width, height) and max(width, height) <= _MAX_SIDE * longest
        if sized and _is_ring(piece):
            box = Box(x / scale, y / scale, (x + width) / scale, (y + height) / scale)
            parts.append(_seal(box, lines, _Colours(red, _dark(small), scale)))
    return parts


def _red(image: RgbImage) -> NDArray[np.uint8]:
    """1 where a pixel is red."""
    hue, saturation, value = cv2.split(cv2.cvtColor(image, cv2.COLOR_RGB2HSV))
    is_red = (hue <= _RED_HUES) | (hue >= 180 - _RED_HUES)
    return (is_red & (saturation >= _MIN_SATURATION) & (value >= _MIN_VALUE)).astype(np.uint8)


def _dark(image: RgbImage) -> NDArray[np.uint8]:
    """1 where a pixel is dark in red light too, as black ink is and red ink is not."""
    return (image[:, :, 0] < _MAX_BLACK).astype(np.uint8)


def _is_ring(piece: NDArray[np.bool_]) -> bool:
    """Whether a shape is about as wide as high, and found near its outline in most directions from its centre."""
    height, width = piece.shape
    if min(width, height) < _ROUNDNESS * max(width, height):
        return False
    angles = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    hits = np.zeros(len(angles), bool)
    for radius in np.linspace(0.86, 1.0, 8):
        x = np.clip((width - 1) / 2 * (1 + radius * np.cos(angles)), 0, width - 1).astype(int)
        y = np.clip((height - 1) / 2 * (1 + radius * np.sin(angles)), 0, height - 1).astype(int)
        hits |= piece[y, x]
    return bool(hits.mean() >= _ROUNDNESS) and piece.mean() < 0.75


def _seal(box: Box, lines: tuple[TextLine, ...], colours: "_Colours") -> Part:
    held = [line for line in lines if line.box.coverage_by(box) >= 0.8 and colours.is_red(line.box)]
    return Part.of(RegionKind.SEAL, _LABEL, 1.0, box, held)


@dataclass(frozen=True, slots=True, eq=False)
class _Colours:
    """Where a page is red and where it is black, in masks of its size times the scale."""

    red: NDArray[np.uint8]
    dark: NDArray[np.uint8]
    scale: float

    def is_red(self, box: Box) -> bool:
        """Whether what is written in a box is red."""
        rows = slice(int(box.top * self.scale), int(box.bottom * self.scale) + 1)
        columns = slice(int(box.left * self.scale), int(box.right * self.scale) + 1)
        return int(self.red[rows, columns].sum()) > 2 * int(self.dark[rows, columns].sum())
