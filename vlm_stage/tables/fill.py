"""Which line of text belongs in which cell."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box
from vlm_stage.tables.structure import Cell, Structure


def assign(structure: Structure, boxes: Sequence[Box]) -> list[Cell]:
    """The cell of each box: that which it overlaps most, or else the nearest; a box is never left out."""
    if not boxes:
        return []
    texts, areas = _corners(boxes), _corners([structure.box(cell) for cell in structure.cells])
    common = _overlaps(texts, areas)
    best = np.where(common.any(axis=1), common.argmax(axis=1), _distances(texts, areas).argmin(axis=1))
    return [structure.cells[index] for index in best]


def _corners(boxes: Sequence[Box]) -> NDArray[np.float64]:
    """Shape (4, boxes): left, top, right, bottom."""
    return np.array([(box.left, box.top, box.right, box.bottom) for box in boxes], np.float64).T


def _overlaps(texts: NDArray[np.float64], areas: NDArray[np.float64]) -> NDArray[np.float64]:
    """The common area of each text, by rows, with each area."""
    left, top, right, bottom = texts[:, :, None]
    width = np.minimum(right, areas[2]) - np.maximum(left, areas[0])
    height = np.minimum(bottom, areas[3]) - np.maximum(top, areas[1])
    common: NDArray[np.float64] = np.maximum(width, 0) * np.maximum(height, 0)
    return common


def _distances(texts: NDArray[np.float64], areas: NDArray[np.float64]) -> NDArray[np.float64]:
    """The square of the distance of each text's middle, by rows, to each area."""
    x, y = (texts[0] + texts[2])[:, None] / 2, (texts[1] + texts[3])[:, None] / 2
    across = np.maximum(np.maximum(areas[0] - x, x - areas[2]), 0)
    down = np.maximum(np.maximum(areas[1] - y, y - areas[3]), 0)
    squares: NDArray[np.float64] = across**2 + down**2
    return squares
