"""Tables without a grid: rows of cells that rules, the network or their regularity confirm."""

from collections.abc import Sequence
from itertools import takewhile

from arcscribe.types import Box, TextLine, enclosing_box
from layout_stage.fusion.row_groups import find_row_groups
from layout_stage.fusion.rows import RowGroup, column_widths
from layout_stage.fusion.table_evidence import TABLE_LABEL, TableEvidence, table_score
from layout_stage.parts import overlap

_CONFIRMING_SCORE = 0.4
"""Of the network's table where rows of cells are."""
_RUNNING_SCORE, _RUNNING_SHARE = 0.4, 0.4
"""Of the network's header or footer, and how much of a line it covers."""
_MIN_FULL_ROWS = 0.5
"""The share of a table's rows with several cells."""
_UNEVEN = 1.5
"""How many times as wide as the other one of two columns is, unless they are two blocks side by side."""
_AXIS = 0.25
"""The least height of a chart's axis, of that of the rows beside it."""
_SEALED_COLUMNS = 4
"""How many columns rows have below a seal that are no signatures."""
_SURE_GAP = 1.0
"""Heights of text between columns that are counted where nothing else confirms them."""
_CELL_CHARACTERS = 6.0
"""Square characters in a short cell."""
_RULE_ABOVE, _RULE_BELOW = 2.5, 1.3
"""How far, in heights of text, a table's outer rules stand from its rows; above, a head fits between."""


def confirmed_rows(evidence: TableEvidence) -> list[tuple[Box, float]]:
    """Rows of cells that rules, the network or their regularity make a table."""
    found: list[tuple[Box, float]] = []
    lines = [line for line in evidence.lines if not _is_running_head(line, evidence)]
    groups = find_row_groups(lines, evidence.prose, evidence.rules.horizontal, evidence.em)
    for whole in groups:
        group = _between_rules(whole, _confirming_rules(whole.box, evidence), evidence.em)
        ruled = _confirming_rules(group.box, evidence)
        if _has_axis(group, evidence):
            continue
        mostly_full = group.gaps and group.full_rows >= _MIN_FULL_ROWS * len(group.rows)
        if mostly_full and (len(ruled) >= 2 or _is_seen(group, evidence) or _is_regular(group, evidence)):
            box = enclosing_box([group.box, *ruled])
            found.append((box, table_score(box, evidence)))
    return found


def _is_running_head(line: TextLine, evidence: TableEvidence) -> bool:
    """Whether the network takes a line for a page's header or footer."""
    return any(
        b.label in ("header", "footer")
        and b.score >= _RUNNING_SCORE
        and line.box.coverage_by(b.box) >= _RUNNING_SHARE
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
            b.label == TABLE_LABEL and b.score >= _CONFIRMING_SCORE and group.box.coverage_by(b.box) >= 0.6
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

    Rows of up to three columns that a seal stands on are signatures, and those with an upright rule that is
    in no grid name a chart's axes.
    """
    widths = column_widths(group, _SURE_GAP * evidence.em)
    sealed = any(group.box.intersection(seal).area > 0 for seal in evidence.seals)
    if len(widths) < (_SEALED_COLUMNS if sealed else 2):
        return False
    if len(widths) >= 3:
        return group.full_rows >= 3 and sorted(widths)[len(widths) // 2] <= _CELL_CHARACTERS
    short = widths[0] <= _CELL_CHARACTERS and widths[1] <= 2 * _CELL_CHARACTERS
    return group.full_rows >= 5 and short and _is_uneven(group, evidence.em)


def _is_uneven(group: RowGroup, em: float) -> bool:
    """Whether rows have three columns, or two of unlike width: two alike are two blocks side by side."""
    widths = column_widths(group, _SURE_GAP * em)
    return len(widths) >= 3 or (len(widths) == 2 and max(widths) >= _UNEVEN * max(0.1, min(widths)))
