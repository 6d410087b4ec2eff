"""Which lines lie in which of a model's regions."""

from collections.abc import Sequence

import numpy as np

from arcscribe.types import Box, TextLine
from layout_stage.box_arrays import common_areas, sides
from layout_stage.parts import ink_box

_HELD = 0.5
"""The least of a line that lies in the region that holds it."""


def held_lines(boxes: Sequence[Box], lines: Sequence[TextLine]) -> list[tuple[TextLine, ...]]:
    """For each box the lines that lie in it, in the order given; each line is in one box at most.

    Of several boxes that hold as much of a line, the smallest has it: the formula, not the text round it.
    """
    held: list[list[TextLine]] = [[] for _ in boxes]
    if boxes:
        others = sides(boxes)
        areas = np.array([box.area for box in boxes])
        for line in lines:
            core = ink_box(line)
            shares = common_areas(core, others) / max(1e-9, core.area)
            most = shares.max()
            if most >= _HELD:
                held[int(np.argmin(np.where(shares == most, areas, np.inf)))].append(line)
    return [tuple(own) for own in held]
