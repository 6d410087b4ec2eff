"""Groups of rows among the lines of a page: where something may be a table."""

from collections.abc import Sequence

import numpy as np

from arcscribe.types import Box, TextLine, enclosing_box
from layout_stage.fusion.rows import COLUMN_GAP, Row, RowGroup, column_gaps, rows_of
from layout_stage.gutters import BoxField
from layout_stage.parts import middle, overlap, thickness

_ROW_GAP = 2.2
"""Heights of text between two rows of a group."""
_LONE_ROWS = 2
"""How many rows of one cell may follow each other in a group."""
_GUTTER_LINES, _GUTTER_REACH = 3, 3.0
"""How many lines of running text, within how many heights of text, make a gap beside them a gutter."""
_RECENT_ROWS = 3
"""With how many of a group's last full rows a further one has a gap in common."""


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
            if gap[1] - gap[0] > COLUMN_GAP * em:
                strip = field.strip(gap, segment.box, em)
                beside = int(np.count_nonzero(field.beside(strip, _GUTTER_REACH * em) & runs_on))
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
            if segment.is_full:
                groups.append([segment])
    closed = [_closed(group, em) for group in groups]
    return [group for group in closed if group is not None]


def _continues(rows: Sequence[Row], row: Row, prose: Sequence[TextLine], em: float) -> bool:
    """Whether a row belongs to the group above it: near, in its width, and with a gap in common."""
    size = max(em, middle((thickness(c) for c in row.cells), em))
    box, below = enclosing_box(r.box for r in rows), row.box
    lone = not row.is_full and not any(r.is_full for r in rows[-_LONE_ROWS:])
    if lone or below.top - box.bottom > _ROW_GAP * size:
        return False
    if overlap(box.left, box.right, below.left, below.right) < 0.5 * below.width:
        return False
    if any(line.box.coverage_by(box.union(below)) > 0.5 for line in prose):
        return False
    if not row.is_full:
        return True
    full = [r for r in rows if r.is_full]
    return bool(column_gaps([*full[-_RECENT_ROWS:], row], em))


def _closed(rows: Sequence[Row], em: float) -> RowGroup | None:
    """The rows as a group without lone rows at its end; None where fewer than two have several cells."""
    last = max((i for i, row in enumerate(rows) if row.is_full), default=-1)
    kept = rows[: last + 1]
    full = [row for row in kept if row.is_full]
    return RowGroup.of(kept, em) if len(full) > 1 else None
