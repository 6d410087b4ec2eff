"""The recursive XY-cut over boxes, bands and columns in turns; what the second kind cannot cut is left whole.

Nagy and Seth, "Hierarchical Representation of Optically Scanned Documents", 1984.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from arcscribe.types import Box
from layout_stage.block_order.intervals import Interval, across, down, gap, parted

_LITTLE = 0.1
"""The share of the height of two boxes together that they may overlap and still be cut apart (paddlex)."""
_TOUCHING = 3.0
"""Pixels between the end of one box and the start of the next that count as none (paddlex)."""


def xy_cut(boxes: Sequence[Box], *, bands_first: bool) -> list[int]:
    """The indexes of boxes as they are read: from left to right and from top to bottom.

    Args:
        boxes: in the reading frame.
        bands_first: whether bands are cut first, then columns in a band; else the other way round.
    """
    axes = (down, across) if bands_first else (across, down)
    ordered: list[int] = []
    waiting = [_Piece(list(range(len(boxes))), whole=False)]
    while waiting:
        piece = waiting.pop()
        if piece.whole:
            ordered.extend(piece.indexes)
        else:
            waiting.extend(reversed(_cut(piece.indexes, boxes, *axes)))
    return ordered


@dataclass(frozen=True, slots=True)
class _Piece:
    """Boxes between cuts; `whole` where no further cut is possible."""

    indexes: list[int]
    whole: bool


def _cut(
    indexes: list[int],
    boxes: Sequence[Box],
    first: Callable[[Box], Interval],
    second: Callable[[Box], Interval],
) -> list[_Piece]:
    """One step along both axes."""
    pieces = []
    for outer in parted(indexes, lambda i: first(boxes[i])):
        inner = parted(outer, lambda i: second(boxes[i]))
        pieces += [_Piece(part, whole=len(inner) == 1 or len(part) == 1) for part in inner]
    return pieces


def drawn_apart(boxes: Sequence[Box]) -> list[Box]:
    """Boxes, neighbours in the sequence parted where the end of one touches or overlaps the next a little."""
    apart = list(boxes)
    for k in range(1, len(apart)):
        apart[k - 1], apart[k] = _drawn_apart(apart[k - 1], apart[k])
    return apart


def _drawn_apart(a: Box, b: Box) -> tuple[Box, Box]:
    upper, lower = (a, b) if a.top < b.top else (b, a)
    if not _is_close(upper, lower):
        return a, b
    middle = (max(a.top, b.top) + min(a.bottom, b.bottom)) // 2
    upper, lower = replace(upper, bottom=middle - 1), replace(lower, top=middle + 1)
    return (upper, lower) if a.top < b.top else (lower, upper)


def _is_close(upper: Box, lower: Box) -> bool:
    if abs(upper.bottom - lower.top) <= _TOUCHING:
        return True
    overlap = min(upper.bottom, lower.bottom) - lower.top
    whole = max(upper.bottom, lower.bottom) - upper.top
    return gap(across(upper), across(lower)) == 0 and 0 < overlap < _LITTLE * whole
