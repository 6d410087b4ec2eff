"""Which line of text belongs in which cell."""

from collections.abc import Sequence

from arcscribe.types import Box
from vlm_stage.tables.structure import Cell, Structure


def assign(structure: Structure, boxes: Sequence[Box]) -> list[Cell]:
    """The cell of each box: that which it overlaps most, or else the nearest; a box is never left out."""
    areas = [(cell, structure.box(cell)) for cell in structure.cells]
    return [max(areas, key=lambda item: _closeness(box, item[1]))[0] for box in boxes]


def _closeness(box: Box, area: Box) -> tuple[float, float]:
    """How much of the box the area holds, then how near its middle is."""
    x, y = box.center
    dx = max(area.left - x, 0.0, x - area.right)
    dy = max(area.top - y, 0.0, y - area.bottom)
    return box.intersection(area).area, -(dx * dx + dy * dy)
