"""The cells of a table, before anything is written in them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from arcscribe.types import Box


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a cell stands in the grid, from 0, and how many rows and columns it takes."""

    row: int
    column: int
    row_span: int = 1
    column_span: int = 1

    @property
    def rows(self) -> range:
        return range(self.row, self.row + self.row_span)

    @property
    def columns(self) -> range:
        return range(self.column, self.column + self.column_span)


@dataclass(frozen=True, slots=True)
class Structure:
    """A grid in pixels, and the cells that tile it: each place of the grid belongs to exactly one cell.

    `row_edges` and `column_edges` have one more entry than there are rows and columns, and grow.
    """

    row_edges: tuple[float, ...]
    column_edges: tuple[float, ...]
    cells: tuple[Cell, ...]

    @property
    def row_count(self) -> int:
        return len(self.row_edges) - 1

    @property
    def column_count(self) -> int:
        return len(self.column_edges) - 1

    def box(self, cell: Cell) -> Box:
        """The part of the image that belongs to a cell."""
        return Box(
            self.column_edges[cell.column],
            self.row_edges[cell.row],
            self.column_edges[cell.column + cell.column_span],
            self.row_edges[cell.row + cell.row_span],
        )


def tiled(rows: int, columns: int, spans: Iterable[Cell]) -> tuple[Cell, ...]:
    """Cells that tile a grid, in reading order: the spans, those before first, and single cells between them.

    A span that reaches out of the grid is cut, and one that overlaps an earlier one is left out.
    """
    taken: dict[tuple[int, int], Cell] = {}
    for span in spans:
        cell = _cut(span, rows, columns)
        places = list(_places(cell)) if cell else []
        if cell and not any(place in taken for place in places):
            taken.update(dict.fromkeys(places, cell))
    every = (taken.get((row, column), Cell(row, column)) for row in range(rows) for column in range(columns))
    return tuple(dict.fromkeys(every))


def _cut(cell: Cell, rows: int, columns: int) -> Cell | None:
    if not (0 <= cell.row < rows and 0 <= cell.column < columns):
        return None
    row_span, column_span = min(cell.row_span, rows - cell.row), min(cell.column_span, columns - cell.column)
    return Cell(cell.row, cell.column, max(1, row_span), max(1, column_span))


def _places(cell: Cell) -> Iterator[tuple[int, int]]:
    return ((row, column) for row in cell.rows for column in cell.columns)
