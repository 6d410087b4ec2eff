"""Boxes as arrays, for what is asked of many at once."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box


def sides(boxes: Iterable[Box]) -> NDArray[np.float64]:
    """Left, top, right and bottom of each; shape (boxes, 4)."""
    return np.array([(b.left, b.top, b.right, b.bottom) for b in boxes], np.float64).reshape(-1, 4)


def common_areas(box: Box, others: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a box has in common with each of others, which `sides` gave; shape (others,)."""
    left, top, right, bottom = others.T
    width = np.minimum(right, box.right) - np.maximum(left, box.left)
    height = np.minimum(bottom, box.bottom) - np.maximum(top, box.top)
    return np.asarray(np.maximum(0, width) * np.maximum(0, height))
