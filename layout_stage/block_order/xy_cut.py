"""The recursive XY-cut over boxes, bands and columns in turns; what the second kind cannot cut is left whole.

Nagy and Seth, "Hierarchical Representation of Optically Scanned Documents", 1984.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arcscribe.types import Box
from layout_stage.block_order.intervals import Interval, across, down, parted


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
