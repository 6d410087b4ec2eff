"""A grid from cells whose boxes are only roughly known."""

from collections.abc import Sequence
from statistics import median

from arcscribe.types import Box
from vlm_stage.tables.structure import Cell, Structure, tiled


def structure_of_cells(cells: Sequence[Cell], boxes: Sequence[Box]) -> Structure | None:
    """The grid in which the cells stand, its edges half-way between neighbouring rows and columns."""
    rows = max((cell.row + cell.row_span for cell in cells), default=0)
    columns = max((cell.column + cell.column_span for cell in cells), default=0)
    if not rows or not columns:
        return None
    pairs = list(zip(cells, boxes, strict=True))
    row_edges = _edges(
        rows,
        [(cell.row, box.top) for cell, box in pairs],
        [(cell.row + cell.row_span - 1, box.bottom) for cell, box in pairs],
    )
    column_edges = _edges(
        columns,
        [(cell.column, box.left) for cell, box in pairs],
        [(cell.column + cell.column_span - 1, box.right) for cell, box in pairs],
    )
    return Structure(row_edges, column_edges, tiled(rows, columns, cells))


def _edges(
    count: int, starts: Sequence[tuple[int, float]], ends: Sequence[tuple[int, float]]
) -> tuple[float, ...]:
    """The edges of `count` bands from where boxes start and end; bands without share what is between."""
    known: dict[int, float] = {}
    for edge in range(count + 1):
        near = [value for band, value in starts if band == edge] + [
            value for band, value in ends if band == edge - 1
        ]
        if near:
            known[edge] = float(median(near))
    edges = [_interpolated(known, edge) for edge in range(count + 1)]
    for edge in range(count):
        edges[edge + 1] = max(edges[edge + 1], edges[edge])
    return tuple(edges)


def _interpolated(known: dict[int, float], edge: int) -> float:
    before = max((key for key in known if key <= edge), default=min(known))
    after = min((key for key in known if key >= edge), default=max(known))
    if before == after:
        return known[before]
    return known[before] + (known[after] - known[before]) * (edge - before) / (after - before)
