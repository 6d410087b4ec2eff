"""Pictures as red light shows them, in which red ink is nearly white and black ink stays black."""

import cv2
import numpy as np

from arcscribe.types import RgbImage

MAX_BLACK = 110
"""The most red light, of 255, in black ink."""
_FULL_RED, _BRIGHTER = 100, 1.7
"""How much more red than other light, of 255, comes from solid ink, and how many times as bright it gets."""


def in_red_light(pixels: RgbImage) -> RgbImage:
    """A picture of shape (height, width, 3) without its red ink, which is made brighter.

    Dark seals, and the seams that JPEG's blurred colour leaves along their strokes, vanish only so.
    """
    light = pixels[:, :, 0].astype(np.float32)
    red = np.clip((light - pixels[:, :, 1:].max(axis=2)) / _FULL_RED, 0, 1)
    red = cv2.dilate(np.asarray(red, np.float32), np.ones((3, 3), np.uint8))
    lifted = np.clip(light * (1 + (_BRIGHTER - 1) * red), 0, 255).astype(np.uint8)
    return np.repeat(lifted[:, :, None], 3, axis=2)
