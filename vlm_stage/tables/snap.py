"""Moving the edges of a grid off the text."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from arcscribe.types import Box
from vlm_stage.tables.structure import Structure

_REACH = 0.5  # of the narrower band beside an edge


def snap_to_text(structure: Structure, boxes: Sequence[Box]) -> Structure:
    """The grid with each inner edge moved, by at most half a band, to where it crosses the least text."""
    rows = _snapped(structure.row_edges, [(box.top, box.bottom) for box in boxes])
    columns = _snapped(structure.column_edges, [(box.left, box.right) for box in boxes])
    return replace(structure, row_edges=rows, column_edges=columns)


def _snapped(edges: Sequence[float], stretches: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    out = list(edges)
    for index in range(1, len(edges) - 1):
        reach = _REACH * min(edges[index + 1] - edges[index], edges[index] - edges[index - 1])
        out[index] = max(out[index - 1], _least_crossed(edges[index], reach, stretches))
    return tuple(out)


def _least_crossed(edge: float, reach: float, stretches: Sequence[tuple[float, float]]) -> float:
    near = [end for stretch in stretches for end in stretch if abs(end - edge) <= reach]
    ends = sorted({edge, *near})
    places = [edge, *((a + b) / 2 for a, b in pairwise(ends))]

    def cost(place: float) -> tuple[float, float]:
        # How deep in a text the place lies, so that the tips of boxes that overlap a gap count little.
        depth = sum(min(place - start, end - place) for start, end in stretches if start < place < end)
        return depth, abs(place - edge)

    return min(places, key=cost)
