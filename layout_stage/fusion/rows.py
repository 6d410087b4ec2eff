"""Groups of rows of cells: what a table looks like where one has only its text lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from arcscribe.types import Box, TextLine, enclosing_box
from layout_stage.gutters import BoxField, Interval, free_intervals
from layout_stage.parts import box_of, characters, middle, overlap, share_row, thickness

_ROW_GAP = 2.2
_LONE_ROWS = 2
_GUTTER = 0.4
_GUTTER_LINES = 3


@dataclass(frozen=True, slots=True)
class Row:
    """Text lines that stand beside each other, from left to right."""

    cells: tuple[TextLine, ...]

    @property
    def box(self) -> Box:
        return box_of(self.cells)


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows that follow each other, most of them of several cells, with gaps that run through."""

    rows: tuple[Row, ...]
    gaps: tuple[Interval, ...]
    """The empty intervals, left and right, between its columns."""

    @classmethod
    def of(cls, rows: Sequence[Row], em: float) -> "RowGroup":
        """Rows with the gaps that run through all of those with several cells."""
        return cls(tuple(rows), tuple(_gaps([row for row in rows if len(row.cells) > 1], em)))

    @property
    def box(self) -> Box:
        return enclosing_box(row.box for row in self.rows)

    @property
    def lines(self) -> tuple[TextLine, ...]:
        return tuple(cell for row in self.rows for cell in row.cells)

    @property
    def full_rows(self) -> int:
        """How many rows have two cells or more."""
        return sum(1 for row in self.rows if len(row.cells) > 1)


def rows_of(lines: Sequence[TextLine]) -> list[Row]:
    """Horizontal lines by the row they stand in, from top to bottom."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda item: item.box.center[1]):
        for row in reversed(rows[-3:]):
            if any(share_row(line.box, other.box, 0.55) for other in row):
                row.append(line)
                break
        else:
            rows.append([line])
    return [Row(tuple(sorted(row, key=lambda item: item.box.left))) for row in rows]


def find_row_groups(
    lines: Sequence[TextLine], prose: frozenset[TextLine], rules: Sequence[Box], em: float
) -> list[RowGroup]:
    """The groups of rows among a page's lines; running text is in none, and no group reaches past it.

    Args:
        lines: the page's lines.
        prose: those that are running text.
        rules: its horizontal ruling lines.
        em: the height of the page's text.
    """
    horizontal = [line for line in lines if not line.vertical]
    segments = _beside_gutters(_segments(horizontal, prose), horizontal, prose, rules, em)
    return _groups_of(segments, [line for line in horizontal if line in prose], em)


def _segments(lines: Sequence[TextLine], prose: frozenset[TextLine]) -> list[Row]:
    """The rows of lines, cut where running text stands in them."""
    segments: list[Row] = []
    for row in rows_of(lines):
        cells: list[TextLine] = []
        for line in row.cells:
            if line not in prose:
                cells.append(line)
            elif cells:
                segments.append(Row(tuple(cells)))
                cells = []
        if cells:
            segments.append(Row(tuple(cells)))
    return segments


def _beside_gutters(
    segments: Sequence[Row],
    lines: Sequence[TextLine],
    prose: frozenset[TextLine],
    rules: Sequence[Box],
    em: float,
) -> list[Row]:
    """Rows cut at the gutters of the page: a gap that goes on beside running text is no gap of a table."""
    field = BoxField([line.box for line in lines], rules)
    runs_on = np.array([line in prose for line in lines], bool)
    cut: list[Row] = []
    for segment in segments:
        cells = [segment.cells[0]]
        for line in segment.cells[1:]:
            gap = cells[-1].box.right, line.box.left
            if gap[1] - gap[0] > _GUTTER * em:
                strip = field.strip(gap, segment.box, em)
                beside = int(np.count_nonzero(field.beside(strip, 3 * em) & runs_on))
                if beside >= _GUTTER_LINES:
                    cut.append(Row(tuple(cells)))
                    cells = []
            cells.append(line)
        cut.append(Row(tuple(cells)))
    return cut


def _groups_of(segments: Sequence[Row], prose: Sequence[TextLine], em: float) -> list[RowGroup]:
    """Segments put together from top to bottom."""
    groups: list[list[Row]] = []
    for segment in sorted(segments, key=lambda row: row.box.top):
        for group in reversed(groups):
            if _continues(group, segment, prose, em):
                group.append(segment)
                break
        else:
            if len(segment.cells) > 1:
                groups.append([segment])
    closed = [_closed(group, em) for group in groups]
    return [group for group in closed if group is not None]


def _continues(rows: Sequence[Row], row: Row, prose: Sequence[TextLine], em: float) -> bool:
    """Whether a row belongs to the group above it: near, in its width, and with a gap in common."""
    size = max(em, middle((thickness(c) for c in row.cells), em))
    box, below = enclosing_box(r.box for r in rows), row.box
    lone = len(row.cells) == 1 and all(len(r.cells) == 1 for r in rows[-_LONE_ROWS:])
    if lone or below.top - box.bottom > _ROW_GAP * size:
        return False
    if overlap(box.left, box.right, below.left, below.right) < 0.5 * below.width:
        return False
    if any(line.box.coverage_by(box.union(below)) > 0.5 for line in prose):
        return False
    if len(row.cells) == 1:
        return True
    full = [r for r in rows if len(r.cells) > 1]
    return bool(_gaps([*full[-3:], row], em))


def _gaps(rows: Sequence[Row], em: float) -> list[Interval]:
    return free_intervals([cell.box for row in rows for cell in row.cells], _GUTTER * em)


def _closed(rows: Sequence[Row], em: float) -> RowGroup | None:
    """The rows as a group without lone rows at its end; None where fewer than two have several cells."""
    last = max((i for i, row in enumerate(rows) if len(row.cells) > 1), default=-1)
    kept = rows[: last + 1]
    full = [row for row in kept if len(row.cells) > 1]
    return RowGroup.of(kept, em) if len(full) > 1 else None


def column_widths(group: RowGroup, least: float = 0.0) -> list[float]:
    """The typical number of square characters in a cell of each column; `least` pixels part columns."""
    gaps = [(low + high) / 2 for low, high in group.gaps if high - low >= least]
    edges = [float("-inf"), *gaps, float("inf")]
    columns: list[float] = []
    for low, high in pairwise(edges):
        held = [c for row in group.rows for c in row.cells if low <= c.box.center[0] < high]
        columns.append(middle((characters(c) for c in held), 0.0))
    return columns
