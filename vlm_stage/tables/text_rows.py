"""Where the text of a table stands in rows and columns."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box

_SAME_ROW = 0.5  # of the lower height, between the middles of a box and its row
_BESIDE = 0.5  # of a box's width may lie above or below others of its row
_RECENT_ROWS = 3  # rows that may still grow when boxes come by their middles


def text_rows(boxes: Sequence[Box]) -> list[list[Box]]:
    """Boxes side by side, from top to bottom, each row from left to right."""
    rows: list[list[Box]] = []
    for box in sorted(boxes, key=lambda item: item.center[1]):
        home = next((row for row in reversed(rows[-_RECENT_ROWS:]) if _in_row(box, row)), None)
        if home is None:
            rows.append([box])
        else:
            home.append(box)
    return [sorted(row, key=lambda box: box.left) for row in rows]


def _in_row(box: Box, row: Sequence[Box]) -> bool:
    """Whether the box stands level with the row, and beside rather than below each of its boxes."""
    middle = sum(other.center[1] for other in row) / len(row)
    height = sum(other.height for other in row) / len(row)
    if abs(middle - box.center[1]) >= _SAME_ROW * min(height, box.height):
        return False
    return all(min(box.right, other.right) - max(box.left, other.left) < _BESIDE * box.width for other in row)


def column_gaps(rows: Sequence[Sequence[Box]], min_gap: float, share: float) -> list[float]:
    """The x of the white columns that part the text.

    Args:
        rows: of text.
        min_gap: the least width of a gap, in pixels.
        share: of the rows may have text across a gap, since headings span columns.
    """
    boxes = [box for row in rows for box in row]
    if not boxes:
        return []
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    steps = np.zeros(int(right - left) + 2, np.int32)
    for box in boxes:
        steps[int(box.left - left)] += 1
        steps[int(np.ceil(box.right - left))] -= 1
    cover = np.cumsum(steps, dtype=np.int32)[:-1]
    limit = int(share * len(rows))
    gaps = [(a, b) for a, b in _runs(cover <= limit) if b - a >= min_gap]
    return [left + _least_covered(cover, a, b) for a, b in gaps if a > 0 and b < len(cover) - 1]


def _runs(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The stretches of true values."""
    padded = np.concatenate(([False], mask, [False])).astype(np.int8)
    steps = np.flatnonzero(np.diff(padded))
    return [(int(start), int(end)) for start, end in zip(steps[::2], steps[1::2], strict=True)]


def _least_covered(cover: NDArray[np.int32], start: int, end: int) -> float:
    """The middle of the longest part of a stretch that the fewest rows cross."""
    part = cover[start:end]
    first, last = max(_runs(part == part.min()), key=lambda run: run[1] - run[0])
    return start + (first + last) / 2


def row_edges(rows: Sequence[Sequence[Box]]) -> list[float]:
    """The y between text rows, and those above the first and below the last."""
    tops = [min(box.top for box in row) for row in rows]
    bottoms = [max(box.bottom for box in row) for row in rows]
    between = [(bottom + top) / 2 for bottom, top in zip(bottoms, tops[1:], strict=False)]
    middles = [(a + b) / 2 for a, b in zip(tops, bottoms, strict=True)]
    # Boxes of neighbouring rows may overlap; an edge stays between the middles of its rows.
    edges = [min(max(edge, a), b) for edge, (a, b) in zip(between, pairwise(middles), strict=True)]
    return [tops[0], *edges, bottoms[-1]]
