"""Text lines as the images that a PP-OCR recogniser wants: upright, 48 pixels high, of few widths."""

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Point, RgbImage, TextLine
from vlm_stage.engines.pp_ocr.vertical_marks import settle_marks

LINE_HEIGHT = 48
"""The height, in pixels, that the recognisers were trained on."""

MAX_LINE_WIDTH = 3200
"""A longer line is squeezed to this many pixels, so that one line cannot take all memory."""

_TALL = 1.5
"""Height over width from which PP-OCR takes a quadrangle for a column (rapidocr 3.10, process_img)."""

_COLUMN = 3.0
"""Height over width beyond which a quadrangle can be nothing but a column."""


def line_images(pixels: RgbImage, line: TextLine) -> list[RgbImage]:
    """The line's quadrangle, made a rectangle; a column is turned anticlockwise, to run from left to right.

    What is tall but no long column, such as a lone `1` or two characters one above the other, gives both.
    """
    upright = _warp(pixels, line.polygon)
    height, width = upright.shape[:2]
    if height < _TALL * width:
        return [upright]
    turned = np.ascontiguousarray(np.rot90(settle_marks(upright)))
    return [turned] if height > _COLUMN * width else [turned, upright]


def scale_line(image: RgbImage) -> RgbImage:
    """The image at the recogniser's height, its sides in proportion."""
    height, width = image.shape[:2]
    scaled = math.ceil(LINE_HEIGHT * width / height)
    size = min(max(scaled, 1), MAX_LINE_WIDTH), LINE_HEIGHT
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), np.uint8)


def padded_width(width: int) -> int:
    """The width of the network's input for a line: one of 40, so that OpenVINO compiles for few shapes.

    The steps grow with the width; on real pages they add 4 % to what is computed.
    """
    step = 32 if width <= 320 else 64 if width <= 1280 else 128
    return -(-width // step) * step


def network_input(images: Sequence[RgbImage], width: int) -> NDArray[np.float32]:
    """Scaled lines, none wider than `width`, as float32 of shape (lines, 3, 48, width), BGR, values -1 to 1.

    The room on the right is filled with 0, as in PP-OCR.
    """
    batch = np.zeros((len(images), 3, LINE_HEIGHT, width), np.float32)
    for row, image in zip(batch, images, strict=True):
        values = image[:, :, ::-1].transpose(2, 0, 1)
        np.multiply(values, 1 / 127.5, out=row[:, :, : image.shape[1]])
        row[:, :, : image.shape[1]] -= 1
    return batch


def _warp(pixels: RgbImage, polygon: tuple[Point, ...]) -> RgbImage:
    corners = np.array(polygon, np.float32)
    top_left, top_right, bottom_right, bottom_left = polygon
    width = max(1, int(max(math.dist(top_left, top_right), math.dist(bottom_left, bottom_right))))
    height = max(1, int(max(math.dist(top_left, bottom_left), math.dist(top_right, bottom_right))))
    flat = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, flat)
    flat_pixels = cv2.warpPerspective(
        pixels, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(flat_pixels, np.uint8)
