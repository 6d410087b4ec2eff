"""A page's ink: where it is darker than its surroundings, on a picture of bounded size."""

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box, Point, RgbImage

Mask = NDArray[np.uint8]

_MAX_SIDE = 2400
"""Of the mask, in pixels: an A4 page at 200 dpi keeps its own."""
_LEAST_SIDE = 0.6
"""Of the mask, which makes it one pixel: a page that is a long strip has a longer mask."""
_CONTRAST = 12
"""How much darker, of 255, than the mean of its surroundings ink is."""
_WINDOW = 1.2
"""The width, in heights of text, of the surroundings a pixel is compared with: more than a stroke's."""


@dataclass(frozen=True, slots=True, eq=False)
class Ink:
    """255 where there is ink, 0 elsewhere, in a mask that may be smaller than the page."""

    mask: Mask
    scale: float
    """Pixels of the mask per pixel of the page."""

    @classmethod
    def of(cls, image: RgbImage, em: float) -> "Ink":
        """The ink of a page of shape (height, width, 3) whose text is so many pixels high."""
        height, width = image.shape[:2]
        scale = min(1.0, max(_MAX_SIDE / max(height, width), _LEAST_SIDE / min(height, width)))
        grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
        if scale < 1:
            grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        window = max(15, 2 * round(_WINDOW * em * scale / 2) + 1)
        mask = cv2.adaptiveThreshold(
            grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, window, _CONTRAST
        )
        return cls(np.asarray(mask, np.uint8), scale)

    def part(self, box: Box) -> Mask:
        """The ink in a box of the page."""
        left, top = max(0, round(box.left * self.scale)), max(0, round(box.top * self.scale))
        return self.mask[top : round(box.bottom * self.scale), left : round(box.right * self.scale)]

    def without(self, polygons: Iterable[tuple[Point, ...]]) -> "Ink":
        """The ink outside polygons of the page."""
        bare = self.mask.copy()
        for polygon in polygons:
            cv2.fillPoly(bare, [(np.array(polygon) * self.scale).astype(np.int32)], 0)
        return Ink(bare, self.scale)

    def to_page(self, x: float, y: float, width: float, height: float) -> Box:
        """A rectangle of the mask in pixels of the page."""
        return Box(x / self.scale, y / self.scale, (x + width) / self.scale, (y + height) / self.scale)
