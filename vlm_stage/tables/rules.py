"""The ruling lines of a table, found in its image by morphology."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.types import RgbImage

InkMask = NDArray[np.uint8]
"""255 where there is ink, 0 elsewhere."""

_MIN_LENGTH = 20  # pixels, whatever the text's height
_MIN_HORIZONTAL = 2.0  # text heights: longer than any stroke of a character
_MIN_VERTICAL = 1.2  # text heights: higher than any character of the text, lower than a row
_MAX_THICKNESS = 0.5  # text heights
_WINDOW, _DARKER = 31, 8  # a pixel is ink if it is so much darker than the mean of a window of so many pixels


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line, in pixels: along its own direction from `start` to `end`, across it at `position`.

    `slope` is how far it moves across for each pixel along; `position` is that of its middle.
    """

    start: float
    end: float
    position: float
    slope: float

    @property
    def length(self) -> float:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Rules:
    """`position` is y for the horizontal ones, and x for the vertical ones."""

    horizontal: tuple[Rule, ...]
    vertical: tuple[Rule, ...]

    @property
    def length(self) -> float:
        """Of all together."""
        return sum(rule.length for rule in (*self.horizontal, *self.vertical))


def find_ink(pixels: RgbImage) -> InkMask:
    """Where an image of shape (height, width, 3) is dark against its surroundings; shape (height, width)."""
    gray = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    binary = cv2.adaptiveThreshold(
        gray, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, _WINDOW, _DARKER
    )
    return np.asarray(binary, np.uint8)


def find_rules(ink: InkMask, text_height: float) -> Rules:
    """The ruling lines in the ink of an image whose text is so many pixels high."""
    horizontal = _rules(ink, _MIN_HORIZONTAL * text_height, text_height)
    vertical = _rules(np.ascontiguousarray(ink.T), _MIN_VERTICAL * text_height, text_height)
    return Rules(horizontal, vertical)


def _rules(ink: InkMask, min_length: float, text_height: float) -> tuple[Rule, ...]:
    """The horizontal lines of a mask, from top to bottom."""
    length = max(_MIN_LENGTH, round(min_length))
    thick = cv2.dilate(ink, np.ones((3, 1), np.uint8))  # so that the steps of a tilted line overlap
    lines = cv2.morphologyEx(thick, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    count, labels, stats, centroids = cv2.connectedComponentsWithStats(lines, connectivity=8)
    found = []
    for label in range(1, count):
        left, top, width, height, area = (int(value) for value in stats[label])
        if area / width > 2 + max(3.0, _MAX_THICKNESS * text_height):
            continue
        part = labels[top : top + height, left : left + width] == label
        found.append(Rule(left, left + width, float(centroids[label][1]), _slope(part)))
    return tuple(sorted(found, key=lambda rule: rule.position))


def _slope(mask: NDArray[np.bool_]) -> float:
    """How a thin horizontal component falls, from the middles of its first and last third."""
    third = max(1, mask.shape[1] // 3)
    first, last = np.nonzero(mask[:, :third])[0], np.nonzero(mask[:, -third:])[0]
    fall: float = float(last.mean()) - float(first.mean())
    return fall / float(max(1, mask.shape[1] - third))
