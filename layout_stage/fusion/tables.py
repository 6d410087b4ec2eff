"""Where the tables of a page are.

The layout network alone calls newspapers tables and misses borderless ones. So a table is a grid of ruling
lines that holds text; or rows of cells that rules, the network or their own regularity confirm; or what the
network says, where the text in it is not running text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from arcscribe.types import Box, RegionKind, TextLine, enclosing_box
from layout_stage.fusion.prose import prose_share
from layout_stage.fusion.rows import RowGroup, column_widths, find_row_groups, rows_of
from layout_stage.parts import Part, overlap
from layout_stage.postprocess import LayoutBox
from layout_stage.ruling_lines import Grid, Rules

_LABEL = "table"
_CONFIRMING_SCORE = 0.4
_RUNNING_SCORE = 0.4
_LONE_SCORE = 0.6
_MAX_PROSE = 0.5
_MIN_FULL_ROWS = 0.5
_UNEVEN = 1.5
_AXIS = 0.25
_COLUMN_GAP = 1.0
_CELL_CHARACTERS = 6.0
_RULE_ABOVE, _RULE_BELOW = 2.5, 1.3
"""How far, in heights of text, a table's outer rules stand from its rows; above, a head fits between."""


@dataclass(frozen=True, slots=True)
class TableEvidence:
    """What a page offers to find tables by."""

    lines: tuple[TextLine, ...]
    prose: frozenset[TextLine]
    boxes: tuple[LayoutBox, ...]
    rules: Rules
    grids: tuple[Grid, ...]
    seals: tuple[Box, ...]
    em: float


def find_tables(evidence: TableEvidence) -> list[Part]:
    """The tables, each with the lines it holds; no line is in two of them."""
    parts: list[Part] = []
    for box, score in [*_ruled_grids(evidence), *_confirmed_rows(evidence), *_seen_tables(evidence)]:
        if any(box.coverage_by(part.box) > 0.3 or part.box.coverage_by(box) > 0.3 for part in parts):
            continue
        taken = {line for part in parts for line in part.lines}
        lines = tuple(line for line in evidence.lines if _is_inside(line, box) and line not in taken)
        if lines:
            whole = box.union(enclosing_box(line.box for line in lines))
            parts.append(Part.of(RegionKind.TABLE, _LABEL, score, whole, lines))
    return parts


def _is_inside(line: TextLine, box: Box) -> bool:
    return line.box.coverage_by(box) >= 0.6


def _score(box: Box, evidence: TableEvidence) -> float:
    return max(
        (b.score for b in evidence.boxes if b.label == _LABEL and box.coverage_by(b.box) > 0.5), default=0.5
    )


def _ruled_grids(evidence: TableEvidence) -> list[tuple[Box, float]]:
    """Grids of two rows and two columns or more, a fair part of whose cells hold text."""
    found: list[tuple[Box, float]] = []
    for grid in sorted(evidence.grids, key=lambda g: -g.box.area):
        cells = grid.rows * grid.columns
        held = [line for line in evidence.lines if _is_inside(line, grid.box)]
        full = sum(1 for row in rows_of(held) if len(row.cells) > 1)
        if grid.rows >= 2 and grid.columns >= 2 and full >= 2 and len(held) >= max(4, 0.25 * cells):
            box = _trimmed(grid, held)
            found.append((box, _score(box, evidence)))
    return found


def _trimmed(grid: Grid, held: Sequence[TextLine]) -> Box:
    """A grid without the ends of rules that stick out beyond its columns and its text, as on ruled paper."""
    inner = enclosing_box([grid.core, *(line.box for line in held)])
    return Box(
        max(grid.box.left, inner.left), grid.box.top, min(grid.box.right, inner.right), grid.box.bottom
    )


def _confirmed_rows(evidence: TableEvidence) -> list[tuple[Box, float]]:
    """Rows of cells that rules, the network or their regularity make a table."""
    found: list[tuple[Box, float]] = []
    lines = [line for line in evidence.lines if not _is_running(line, evidence)]
    groups = find_row_groups(lines, evidence.prose, evidence.rules.horizontal, evidence.em)
    for whole in groups:
        group = _between_rules(whole, _confirming_rules(whole.box, evidence), evidence.em)
        ruled = _confirming_rules(group.box, evidence)
        if _has_axis(group, evidence):
            continue
        mostly_full = group.gaps and group.full_rows >= _MIN_FULL_ROWS * len(group.rows)
        if mostly_full and (len(ruled) >= 2 or _is_seen(group, evidence) or _is_regular(group, evidence)):
            box = enclosing_box([group.box, *ruled])
            found.append((box, _score(box, evidence)))
    return found


def _is_running(line: TextLine, evidence: TableEvidence) -> bool:
    """Whether the network takes a line for a page's header or footer."""
    return any(
        b.label in ("header", "footer") and b.score >= _RUNNING_SCORE and line.box.coverage_by(b.box) >= 0.4
        for b in evidence.boxes
    )


def _has_axis(group: RowGroup, evidence: TableEvidence) -> bool:
    """Whether an upright rule in no table's grid parts rows: a chart's axis, with numbers beside it."""
    return any(
        rule.height >= _AXIS * group.box.height
        and group.box.intersection(rule).area > 0
        and any(cell.box.right <= rule.left + 2 for cell in group.lines)
        and any(cell.box.left >= rule.right - 2 for cell in group.lines)
        for rule in evidence.rules.vertical
    )


def _between_rules(group: RowGroup, ruled: Sequence[Box], em: float) -> RowGroup:
    """Rows without those outside the outer rules.

    Right above the first rule stay rows that have a cell for every other column, as a head has. Below the
    last one stay all, if they are more than what the rules enclose: then that is the head.
    """
    heights = [rule.center[1] for rule in ruled]
    if len(heights) < 2:
        return group
    most = max(len(row.cells) for row in group.rows)
    above = [row for row in group.rows if row.box.center[1] < min(heights)]
    below = [row for row in group.rows if row.box.center[1] > max(heights)]
    head = list(takewhile(lambda row: 2 * len(row.cells) > most, reversed(above)))[::-1]
    rows = [*head, *(row for row in group.rows if row not in above)]
    if 2 * len(below) < len(rows):
        rows = [row for row in rows if row not in below]
        while rows and len(rows[-1].cells) == 1:
            rows.pop()
    return RowGroup.of(rows, em) if rows else group


def _is_seen(group: RowGroup, evidence: TableEvidence) -> bool:
    """Whether the network has a table where some uneven rows are."""
    return (
        group.full_rows >= 3
        and _is_uneven(group, evidence.em)
        and any(
            b.label == _LABEL and b.score >= _CONFIRMING_SCORE and group.box.coverage_by(b.box) >= 0.6
            for b in evidence.boxes
        )
    )


def _confirming_rules(box: Box, evidence: TableEvidence) -> list[Box]:
    """Horizontal rules about as wide as the rows, between them or close to them."""
    above, below = _RULE_ABOVE * evidence.em, _RULE_BELOW * evidence.em
    return [
        rule
        for rule in evidence.rules.horizontal
        if overlap(rule.left, rule.right, box.left, box.right) >= 0.7 * box.width
        and rule.width <= 1.35 * box.width + 2 * evidence.em
        and box.top - above <= rule.center[1] <= box.bottom + below
    ]


def _is_regular(group: RowGroup, evidence: TableEvidence) -> bool:
    """Whether rows look like a table with neither rules nor the network's word: many, and of short cells.

    Rows that a seal stands on are signatures, and those with an upright rule that is in no grid name a
    chart's axes.
    """
    widths = column_widths(group, _COLUMN_GAP * evidence.em)
    if len(widths) < 2 or any(group.box.intersection(seal).area > 0 for seal in evidence.seals):
        return False
    if len(widths) >= 3:
        return group.full_rows >= 3 and sorted(widths)[len(widths) // 2] <= _CELL_CHARACTERS
    short = widths[0] <= _CELL_CHARACTERS and widths[1] <= 2 * _CELL_CHARACTERS
    return group.full_rows >= 5 and short and _is_uneven(group, evidence.em)


def _is_uneven(group: RowGroup, em: float) -> bool:
    """Whether rows have three columns, or two of unlike width: two alike are two blocks side by side."""
    widths = column_widths(group, _COLUMN_GAP * em)
    return len(widths) >= 3 or (len(widths) == 2 and max(widths) >= _UNEVEN * max(0.1, min(widths)))


def _seen_tables(evidence: TableEvidence) -> list[tuple[Box, float]]:
    """The network's tables where the text is not running text and two rows or more have several cells."""
    found: list[tuple[Box, float]] = []
    for seen in evidence.boxes:
        if seen.label != _LABEL or seen.score < _LONE_SCORE:
            continue
        held = [line for line in evidence.lines if _is_inside(line, seen.box)]
        full = sum(1 for row in rows_of(held) if len(row.cells) > 1)
        if full >= 2 and prose_share(held, evidence.prose) <= _MAX_PROSE:
            found.append((seen.box, seen.score))
    return found
