"""Rows of cells: what a table looks like where one has only its text lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from arcscribe.types import Box, TextLine, enclosing_box
from layout_stage.gutters import Interval, free_intervals
from layout_stage.parts import box_of, characters, middle, share_row

COLUMN_GAP = 0.4
"""The least white between columns, in heights of text: more than a space between words."""
_SAME_ROW = 0.55
"""Of the lower cell's height, that two cells of a row have in common."""


@dataclass(frozen=True, slots=True)
class Row:
    """Text lines that stand beside each other, from left to right."""

    cells: tuple[TextLine, ...]

    @property
    def box(self) -> Box:
        return box_of(self.cells)

    @property
    def is_full(self) -> bool:
        """Whether the row has two cells or more."""
        return len(self.cells) > 1


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows that follow each other, most of them of several cells, with gaps that run through."""

    rows: tuple[Row, ...]
    gaps: tuple[Interval, ...]
    """The empty intervals, left and right, between its columns."""

    @classmethod
    def of(cls, rows: Sequence[Row], em: float) -> "RowGroup":
        """Rows with the gaps that run through all of those with several cells."""
        return cls(tuple(rows), tuple(column_gaps([row for row in rows if row.is_full], em)))

    @property
    def box(self) -> Box:
        return enclosing_box(row.box for row in self.rows)

    @property
    def lines(self) -> tuple[TextLine, ...]:
        return tuple(cell for row in self.rows for cell in row.cells)

    @property
    def full_rows(self) -> int:
        """How many rows have two cells or more."""
        return sum(1 for row in self.rows if row.is_full)


def rows_of(lines: Sequence[TextLine]) -> list[Row]:
    """Horizontal lines by the row they stand in, from top to bottom."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda item: item.box.center[1]):
        for row in reversed(rows[-3:]):
            if any(share_row(line.box, other.box, _SAME_ROW) for other in row):
                row.append(line)
                break
        else:
            rows.append([line])
    return [Row(tuple(sorted(row, key=lambda item: item.box.left))) for row in rows]


def column_gaps(rows: Sequence[Row], em: float) -> list[Interval]:
    """The empty intervals that run through all of the rows."""
    return free_intervals([cell.box for row in rows for cell in row.cells], COLUMN_GAP * em)


def column_widths(group: RowGroup, least: float) -> list[float]:
    """The typical number of square characters in a cell of each column; `least` pixels part columns."""
    gaps = [(low + high) / 2 for low, high in group.gaps if high - low >= least]
    edges = [float("-inf"), *gaps, float("inf")]
    columns: list[float] = []
    for low, high in pairwise(edges):
        held = [c for row in group.rows for c in row.cells if low <= c.box.center[0] < high]
        columns.append(middle((characters(c) for c in held), 0.0))
    return columns
