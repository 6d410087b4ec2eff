"""Groups of rows of cells: what a table looks like where one has only its text lines."""

from collections.abc import Sequence
from dataclasses import dataclass

from arcscribe.types import Box, TextLine, enclosing_box
from layout_stage.parts import box_of, characters, middle, overlap, share_row, thickness

_ROW_GAP = 2.2
_LONE_ROWS = 2
_GUTTER = 0.4
_OUTREACH = 0.6


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
    gaps: tuple[tuple[float, float], ...]
    """The empty intervals, left and right, between its columns."""

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


def find_row_groups(cells: Sequence[TextLine], obstacles: Sequence[TextLine], em: float) -> list[RowGroup]:
    """The groups of rows among cells.

    Args:
        cells: lines that may be cells of a table.
        obstacles: the page's running text, which is none.
        em: the height of the page's text.
    """
    horizontal = [cell for cell in cells if not cell.vertical]
    everything = [*horizontal, *obstacles]
    groups: list[RowGroup] = []
    for side in _sides(horizontal, everything, em):
        groups.extend(_groups_of(rows_of(side), em))
    return groups


def free_intervals(boxes: Sequence[Box], least: float) -> list[tuple[float, float]]:
    """The intervals of x, at least so wide, that lie between boxes and meet none of them."""
    free: list[tuple[float, float]] = []
    reach: float | None = None
    for box in sorted(boxes, key=lambda b: b.left):
        if reach is not None and box.left - reach >= least:
            free.append((reach, box.left))
        reach = box.right if reach is None else max(reach, box.right)
    return free


def _sides(cells: Sequence[TextLine], everything: Sequence[TextLine], em: float) -> list[list[TextLine]]:
    """Cells apart by the gutters of the page: a gap that runs on beside running text is no gap of a table."""
    groups = _groups_of(rows_of(cells), em)
    for group in groups:
        for gap in group.gaps:
            top, bottom = _strip(gap, group.box, everything, em)
            outreach = max(group.box.top - top, bottom - group.box.bottom)
            if outreach > max(_OUTREACH * group.box.height, 4 * em):
                x = (gap[0] + gap[1]) / 2
                inside = [c for c in cells if top <= c.box.center[1] <= bottom]
                left = [c for c in inside if c.box.center[0] < x]
                right = [c for c in inside if c.box.center[0] >= x]
                rest = [c for c in cells if c not in inside]
                parts = [part for part in (left, right, rest) if part]
                if len(parts) > 1:
                    return [side for part in parts for side in _sides(part, everything, em)]
    return [list(cells)]


def _strip(gap: tuple[float, float], box: Box, lines: Sequence[TextLine], em: float) -> tuple[float, float]:
    """How far up and down a gap goes on between text on its left and text on its right."""
    low, high = gap
    inset = min(0.25 * (high - low), 0.5 * em)
    crossing = [b.box for b in lines if b.box.left < high - inset and b.box.right > low + inset]
    top = max((b.bottom for b in crossing if b.center[1] < box.top), default=0.0)
    bottom = min((b.top for b in crossing if b.center[1] > box.bottom), default=float("inf"))
    between = [b.box for b in lines if b.box.top >= top - 1 and b.box.bottom <= bottom + 1]
    left = [b for b in between if b.right <= low + inset]
    right = [b for b in between if b.left >= high - inset]
    if not left or not right:
        return box.top, box.bottom
    return (
        max(min(b.top for b in left), min(b.top for b in right)),
        min(max(b.bottom for b in left), max(b.bottom for b in right)),
    )


def _groups_of(rows: Sequence[Row], em: float) -> list[RowGroup]:
    groups: list[RowGroup] = []
    current: list[Row] = []
    for row in rows:
        if current and not _continues(current, row, em):
            groups.extend(_closed(current, em))
            current = []
        if current or len(row.cells) > 1:
            current.append(row)
    groups.extend(_closed(current, em))
    return groups


def _continues(rows: Sequence[Row], row: Row, em: float) -> bool:
    """Whether a row belongs to the group above it: near, in its width, and with a gap in common."""
    size = max(em, middle((thickness(c) for c in row.cells), em))
    lone = len(row.cells) == 1 and all(len(r.cells) == 1 for r in rows[-_LONE_ROWS:])
    box = enclosing_box(r.box for r in rows)
    if (
        lone
        or row.box.top - box.bottom > _ROW_GAP * size
        or overlap(box.left, box.right, row.box.left, row.box.right) <= 0
    ):
        return False
    full = [r for r in rows if len(r.cells) > 1]
    if len(row.cells) == 1:
        return True
    return bool(_gaps([*full[-3:], row], em))


def _gaps(rows: Sequence[Row], em: float) -> list[tuple[float, float]]:
    return free_intervals([cell.box for row in rows for cell in row.cells], _GUTTER * em)


def _closed(rows: Sequence[Row], em: float) -> list[RowGroup]:
    """The rows as a group, lone rows at its end left out; nothing where fewer than two rows have several cells."""
    last = max((i for i, row in enumerate(rows) if len(row.cells) > 1), default=-1)
    kept = rows[: last + 1]
    full = [row for row in kept if len(row.cells) > 1]
    if len(full) < 2:
        return []
    return [RowGroup(tuple(kept), tuple(_gaps(full, em)))]


def column_widths(group: RowGroup) -> list[float]:
    """The typical number of square characters in a cell, for each column."""
    edges = [float("-inf"), *((low + high) / 2 for low, high in group.gaps), float("inf")]
    columns: list[float] = []
    for low, high in zip(edges, edges[1:], strict=False):
        held = [c for row in group.rows for c in row.cells if low <= c.box.center[0] < high]
        columns.append(middle((characters(c) for c in held), 0.0))
    return columns
