"""Where the tables of a page are.

The layout network alone calls newspapers tables and misses borderless ones. So a table is a grid of ruling
lines that holds text; or rows of cells that rules, the network or their own regularity confirm; or what the
network says, where the text in it is not running text.
"""

from collections.abc import Sequence

from arcscribe.types import Box, RegionKind, TextLine, enclosing_box
from layout_stage.fusion.prose import prose_share
from layout_stage.fusion.rows import rows_of
from layout_stage.fusion.table_evidence import TABLE_LABEL, TableEvidence, is_inside, table_score
from layout_stage.fusion.table_rows import confirmed_rows
from layout_stage.parts import Part
from layout_stage.ruling_lines import Grid

_LONE_SCORE = 0.6
"""What a table must score that the network alone sees."""
_MAX_PROSE = 0.5
"""Of its text, by length, may be running text."""
_MAX_COMMON = 0.3
"""Of the smaller of two tables may lie in the other."""
_MIN_FILLED, _MIN_LINES = 0.25, 4
"""The share of a grid's cells that holds text, and the number of its lines, at least."""


def find_tables(evidence: TableEvidence) -> list[Part]:
    """The tables, each with the lines it holds; no line is in two of them."""
    parts: list[Part] = []
    for box, score in [*_ruled_grids(evidence), *confirmed_rows(evidence), *_seen_tables(evidence)]:
        if any(
            box.coverage_by(part.box) > _MAX_COMMON or part.box.coverage_by(box) > _MAX_COMMON
            for part in parts
        ):
            continue
        taken = {line for part in parts for line in part.lines}
        lines = tuple(line for line in evidence.lines if is_inside(line, box) and line not in taken)
        if lines:
            whole = box.union(enclosing_box(line.box for line in lines))
            parts.append(Part.of(RegionKind.TABLE, TABLE_LABEL, score, whole, lines))
    return parts


def _ruled_grids(evidence: TableEvidence) -> list[tuple[Box, float]]:
    """Grids of two rows and two columns or more, a fair part of whose cells hold text."""
    found: list[tuple[Box, float]] = []
    for grid in sorted(evidence.grids, key=lambda g: -g.box.area):
        cells = grid.rows * grid.columns
        held = [line for line in evidence.lines if is_inside(line, grid.box)]
        full = sum(1 for row in rows_of(held) if row.is_full)
        if (
            grid.rows >= 2
            and grid.columns >= 2
            and full >= 2
            and len(held) >= max(_MIN_LINES, _MIN_FILLED * cells)
        ):
            box = _trimmed(grid, held)
            found.append((box, table_score(box, evidence)))
    return found


def _trimmed(grid: Grid, held: Sequence[TextLine]) -> Box:
    """A grid without the ends of rules that stick out beyond its columns and its text, as on ruled paper."""
    inner = enclosing_box([grid.core, *(line.box for line in held)])
    return Box(
        max(grid.box.left, inner.left), grid.box.top, min(grid.box.right, inner.right), grid.box.bottom
    )


def _seen_tables(evidence: TableEvidence) -> list[tuple[Box, float]]:
    """The network's tables where the text is not running text and two rows or more have several cells."""
    found: list[tuple[Box, float]] = []
    for seen in evidence.boxes:
        if seen.label != TABLE_LABEL or seen.score < _LONE_SCORE:
            continue
        held = [line for line in evidence.lines if is_inside(line, seen.box)]
        full = sum(1 for row in rows_of(held) if row.is_full)
        if full >= 2 and prose_share(held, evidence.prose) <= _MAX_PROSE:
            found.append((seen.box, seen.score))
    return found
