"""What a task shows the model of a crop, before it is resized."""

import cv2
import numpy as np
from PIL import Image

from arcscribe.types import RgbImage
from vlm_stage.engines.paddleocr_vl.inputs.images import MAX_ASPECT_RATIO
from vlm_stage.engines.paddleocr_vl.inputs.prompts import Task

_INK = 200
"""Grey values below it, of 0 to 255 between the darkest and the lightest, are ink (paddlex 3.7.2)."""
_SMALL = 1500
"""Pixels: an image both of whose sides are shorter is doubled for spotting (paddlex 3.7.2)."""


def view_for(pixels: RgbImage, prompt: str) -> RgbImage:
    """The part of a crop, or its enlargement, that goes with a prompt; (height, width, 3) like the crop.

    A crop without pixels is left as it is, for `smart_resize` to refuse.
    """
    if not pixels.size:
        return pixels
    if prompt == Task.FORMULA:
        return trimmed_to_ink(pixels)
    if prompt == Task.SPOTTING and max(pixels.shape[:2]) < _SMALL:
        return doubled(pixels)
    return pixels


def trimmed_to_ink(pixels: RgbImage) -> RgbImage:
    """Without the white round what is written; the whole where nothing is, or where the rest would be too
    long to be read, as a lone fraction bar is."""
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.float32)
    lightest, darkest = float(grey.max()), float(grey.min())
    if lightest == darkest:
        return pixels
    ink = (grey - darkest) * (255 / (lightest - darkest)) < _INK
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    trimmed = pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    tall, wide = trimmed.shape[:2]
    return pixels if max(tall, wide) > MAX_ASPECT_RATIO * min(tall, wide) else trimmed


def doubled(pixels: RgbImage) -> RgbImage:
    """Twice as high and as wide."""
    height, width = pixels.shape[:2]
    large = Image.fromarray(pixels).resize((2 * width, 2 * height), Image.Resampling.LANCZOS)
    return np.asarray(large)
