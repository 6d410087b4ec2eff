"""Which lines lie in which of a model's regions."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box, TextLine
from layout_stage.parts import ink_box

_HELD = 0.5
"""The least of a line that lies in the region that holds it."""


def held_lines(boxes: Sequence[Box], lines: Sequence[TextLine]) -> list[tuple[TextLine, ...]]:
    """For each box the lines that lie in it, in the order given; each line is in one box at most.

    Of several boxes that hold as much of a line, the smallest has it: the formula, not the text round it.
    """
    held: list[list[TextLine]] = [[] for _ in boxes]
    if boxes:
        sides = np.array([(b.left, b.top, b.right, b.bottom) for b in boxes], np.float64).T
        areas = np.array([box.area for box in boxes])
        for line in lines:
            shares = _shares(ink_box(line), sides)
            most = shares.max()
            if most >= _HELD:
                held[int(np.argmin(np.where(shares == most, areas, np.inf)))].append(line)
    return [tuple(own) for own in held]


def _shares(core: Box, sides: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of a box lies in each of others, whose sides come in four rows."""
    left, top, right, bottom = sides
    width = np.minimum(right, core.right) - np.maximum(left, core.left)
    height = np.minimum(bottom, core.bottom) - np.maximum(top, core.top)
    return np.asarray(np.maximum(0, width) * np.maximum(0, height) / max(1e-9, core.area))
