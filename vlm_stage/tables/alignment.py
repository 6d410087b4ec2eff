"""The cells of a table that rules do not draw, from how its text is aligned."""

from collections.abc import Sequence
from statistics import median

from arcscribe.types import Box
from vlm_stage.tables.structure import Cell, Structure, tiled
from vlm_stage.tables.text_rows import column_gaps, row_edges, text_rows
from vlm_stage.tables.tilt import TableGeometry

_FULL_WIDTH = 0.85  # of the text's width: a rule that parts rows
_CROSSING = 0.2  # of the rows may have text across the gap between two columns
_WHITE = 0.15  # text heights between rows, where lines of one cell stand closer
_INSIDE = 0.15  # of a box's height, by which its ends may reach over a gap
_MIN_BANDS = 3  # between rules, before they say what a row is
_ONE_ROW = 0.7  # of the bands between rules hold one row of text where each band is one row


def find_alignment(table: TableGeometry, min_gap: float, wrapped: bool = False) -> Structure | None:
    """A grid with a row for each row of text, and a column between each two white gaps.

    Args:
        min_gap: the least width of a white gap, in text heights.
        wrapped: whether rows of text with no white between them are taken for one row, whose cells have
            several lines; None is returned where there are none such.
    """
    rows = text_rows(table.boxes)
    if not rows:
        return None
    left, right = min(box.left for box in table.boxes), max(box.right for box in table.boxes)
    rows = _row_groups(rows, _dividers(table, left, right))
    gaps = column_gaps(rows, min_gap * table.text_height, _CROSSING)
    if wrapped:
        groups = _close_rows(rows, _WHITE * table.text_height)
        if len(groups) in (1, len(rows)):
            return None
        rows = groups
    edges = row_edges(rows)
    columns = (left, *gaps, right)
    spans = [span for index, row in enumerate(rows) for span in _row_spans(index, row, gaps)]
    return Structure(tuple(edges), columns, tiled(len(rows), len(gaps) + 1, spans))


def _close_rows(rows: Sequence[Sequence[Box]], white: float) -> list[list[Box]]:
    """Rows joined where less than that much white, in pixels, lies between them."""
    groups: list[list[Box]] = []
    for box in sorted((box for row in rows for box in row), key=lambda item: item.top):
        if groups and box.top - max(other.bottom for other in groups[-1]) < white:
            groups[-1].append(box)
        else:
            groups.append([box])
    return groups


def _dividers(table: TableGeometry, left: float, right: float) -> list[float]:
    rules = (rule for rule in table.rules.horizontal if rule.length >= _FULL_WIDTH * (right - left))
    return [rule.position for rule in rules]


def _row_groups(rows: list[list[Box]], dividers: Sequence[float]) -> list[list[Box]]:
    """The rows of text; or those between two rules as one, where most rules have one row between them."""
    bands: dict[int, list[list[Box]]] = {}
    for row in rows:
        middle = median(box.center[1] for box in row)
        bands.setdefault(sum(divider < middle for divider in dividers), []).append(row)
    single = sum(len(band) == 1 for band in bands.values())
    if len(bands) < _MIN_BANDS or single < _ONE_ROW * len(bands):
        return rows
    return [[box for row in bands[key] for box in row] for key in sorted(bands)]


def _row_spans(index: int, row: Sequence[Box], gaps: Sequence[float]) -> list[Cell]:
    spans = []
    for box in row:
        inside = _INSIDE * box.height
        first = sum(gap <= box.left + inside for gap in gaps)
        last = sum(gap < box.right - inside for gap in gaps)
        if last > first:
            spans.append(Cell(index, first, 1, last - first + 1))
    return spans
