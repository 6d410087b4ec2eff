"""Tables drawn for tests: rules, and grey bars in place of text."""

from collections.abc import Iterable

import cv2
import numpy as np

from arcscribe.types import RgbImage, TextLine
from tests.vlm_stage.builders import text_line

TEXT_HEIGHT = 20.0


def page(width: int = 620, height: int = 420) -> RgbImage:
    return np.full((height, width, 3), 255, np.uint8)


def draw_rules(image: RgbImage, rules: Iterable[tuple[int, int, int, int]]) -> None:
    for left, top, right, bottom in rules:
        cv2.line(image, (left, top), (right, bottom), (0, 0, 0), 2)


def write(image: RgbImage, left: int, top: int, width: int = 60) -> TextLine:
    """A bar as high as text, and the line that a detector would find there."""
    for x in range(left, left + width - 6, 12):
        cv2.rectangle(image, (x, top + 4), (x + 6, top + 16), (40, 40, 40), -1)
    return text_line(left, top, left + width, top + TEXT_HEIGHT)


def tilted(
    image: RgbImage, lines: Iterable[TextLine], degrees: float
) -> tuple[RgbImage, tuple[TextLine, ...]]:
    """The page as a crooked scan."""
    height, width = image.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    turned = cv2.warpAffine(image, matrix, (width, height), borderValue=(255, 255, 255))
    return np.asarray(turned, np.uint8), tuple(_turned(line, np.asarray(matrix)) for line in lines)


def _turned(line: TextLine, matrix: np.ndarray) -> TextLine:
    corners = np.hstack([np.array(line.polygon), np.ones((4, 1))]) @ matrix.T
    straight = text_line(*corners.min(axis=0), *corners.max(axis=0))
    return TextLine(straight.box, tuple((float(x), float(y)) for x, y in corners), 1.0)
