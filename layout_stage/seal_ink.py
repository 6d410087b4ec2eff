"""What on a page may be a seal's ink: what is red, or, on a page without colour, grey and not black."""

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.red_light import MAX_BLACK, in_red_light
from arcscribe.types import RgbImage

Plane = NDArray[np.uint8]

_MIN_SATURATION, _MIN_VALUE, _RED_HUES = 60, 70, 10
"""Of red ink in OpenCV's HSV, where hues run to 180, and the rest to 255."""
_COLOR_STEP, _MIN_CHROMA, _COLORED = 4, 40, 0.0005
"""Every so many pixels are looked at, how far from grey colour is, of 255, and the least share of it."""
_PAPER = 75
"""The percentile of the light that is that of paper."""
_BLACK, _WHITE = 0.45, 0.82
"""Between which, where paper is 1, grey ink lies."""
_EDGE = 5
"""Pixels of the square by which black strokes are grown, whose edges are grey."""


def has_color(image: RgbImage) -> bool:
    """Whether a page was scanned in colour and has any."""
    some = image[::_COLOR_STEP, ::_COLOR_STEP].astype(np.int16)
    return bool((some.max(axis=2) - some.min(axis=2) > _MIN_CHROMA).mean() > _COLORED)


def red_ink(image: RgbImage) -> Plane:
    """1 where a pixel is red; shape (height, width)."""
    hue, saturation, value = cv2.split(cv2.cvtColor(image, cv2.COLOR_RGB2HSV))
    is_red = (hue <= _RED_HUES) | (hue >= 180 - _RED_HUES)
    return np.asarray(is_red & (saturation >= _MIN_SATURATION) & (value >= _MIN_VALUE), np.uint8)


def grey_ink(image: RgbImage) -> Plane:
    """1 where a pixel is grey and no edge of a black stroke, as red ink is in a grey scan."""
    light = _light(image)
    black = cv2.dilate((light < _BLACK).astype(np.uint8), np.ones((_EDGE, _EDGE), np.uint8))
    return np.asarray((light < _WHITE) & (black == 0), np.uint8)


def black_ink(image: RgbImage, *, colored: bool) -> NDArray[np.bool_]:
    """Where a pixel is black, on a page with or without colour."""
    return np.asarray(image[:, :, 0] < MAX_BLACK if colored else _light(image) < _BLACK, np.bool_)


def without_seal(image: RgbImage, *, colored: bool) -> RgbImage:
    """A seal's picture with the black text alone.

    On a page without colour what is lighter than black is made white.
    """
    if colored:
        return in_red_light(image)
    stretched = np.clip((_light(image) - _BLACK / 2) / (_BLACK / 2), 0, 1) * 255
    return np.repeat(stretched.astype(np.uint8)[:, :, None], 3, axis=2)


def _light(image: RgbImage) -> NDArray[np.float32]:
    """How light each pixel is, where paper is about 1."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY).astype(np.float32)
    paper = float(np.percentile(grey[::_COLOR_STEP, ::_COLOR_STEP], _PAPER))
    return np.asarray(grey / max(1.0, paper), np.float32)
