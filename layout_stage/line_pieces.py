"""The pieces in which the detector finds some lines, joined again."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import TextLine
from layout_stage.gutters import GUTTER_ROWS, BoxField
from layout_stage.parts import SIDE_NOTE_CHARACTERS, characters, thickness

_PIECE_GAP, _BRIDGED_GAP = 0.6, 2.5
"""In heights of the lower piece: a gap between pieces of one line, and a gap that lines above and below
must run across."""
_BRIDGED_ROWS = 1.3
"""How many rows such a gap goes on over at most."""
_SAME_SIZE, _TOUCHING_SIZE = 1.6, 2.2
"""How many times as high as the lower piece the other one is, at most; the second where they nearly touch,
since superscripts make a piece higher."""
_TOUCHING_GAP = 0.3
"""In heights of the lower piece."""
_MAX_OVERLAP = 2.0
"""In heights of the lower piece, by which the detector's boxes of neighbours may overlap."""
_SAME_ROW = 0.6
"""Of the lower piece's height, that pieces in one row have in common."""


def merge_pieces(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """Joins the pieces of one visual line.

    Two neighbours in a row are pieces of one line where the gap between them is narrow, or where it is
    moderate and lines above and below run across it. A gap that goes on over several rows is a gutter between
    columns.
    """
    field = BoxField([line.box for line in lines])
    joined: list[TextLine] = []
    open_pieces: dict[int, int] = {}
    ordered = sorted(lines, key=lambda item: (item.box.left, item.box.top))
    places = _Places(ordered)
    for i, line in enumerate(ordered):
        before = places.nearest_before(i)
        if before is not None and not _are_pieces(ordered[before], line, field):
            before = None
        if before is not None and before in open_pieces:
            place = open_pieces.pop(before)
            joined[place] = _join(joined[place], line)
            open_pieces[i] = place
        else:
            joined.append(line)
            open_pieces[i] = len(joined) - 1
    return tuple(sorted(joined, key=lambda item: (item.box.top, item.box.left)))


def _join(left: TextLine, right: TextLine) -> TextLine:
    """One horizontal line of two pieces."""
    polygon = (left.polygon[0], right.polygon[1], right.polygon[2], left.polygon[3])
    return TextLine(left.box.union(right.box), polygon, min(left.score, right.score))


class _Places:
    """Where lines stand, which are ordered by their left, asked for the one before another in its row."""

    def __init__(self, ordered: Sequence[TextLine]) -> None:
        sides = [(line.box.top, line.box.right, line.box.bottom, line.box.center[0]) for line in ordered]
        self._top, self._right, self._bottom, self._middle = np.array(sides, np.float64).reshape(-1, 4).T
        self._height = np.maximum(0.0, self._bottom - self._top)
        self._across = np.array([not line.vertical for line in ordered], bool)

    def nearest_before(self, i: int) -> int | None:
        """The index of the horizontal line that ends last of those before a horizontal one, if any."""
        if not self._across[i]:
            return None
        before = self._in_row(i) & self._across[:i] & (self._middle[:i] < self._middle[i])
        return int(np.argmax(np.where(before, self._right[:i], -np.inf))) if before.any() else None

    def _in_row(self, i: int) -> NDArray[np.bool_]:
        """Which of the lines before one stand beside it; see `share_row`."""
        common = np.minimum(self._bottom[:i], self._bottom[i]) - np.maximum(self._top[:i], self._top[i])
        lower = np.minimum(self._height[:i], self._height[i])
        return np.asarray(common >= _SAME_ROW * np.maximum(1.0, lower), np.bool_)


def _are_pieces(left: TextLine, right: TextLine, field: BoxField) -> bool:
    small, large = sorted((thickness(left), thickness(right)))
    gap = right.box.left - left.box.right
    alike = large <= (_SAME_SIZE if gap > _TOUCHING_GAP * small else _TOUCHING_SIZE) * small
    if not alike or not -_MAX_OVERLAP * small <= gap <= _BRIDGED_GAP * small:
        return False
    row = left.box.union(right.box)
    if field.ends_at(left.box.right, row, small) and characters(right) <= SIDE_NOTE_CHARACTERS:
        return False
    if gap < 2:
        return True
    rows = field.strip((left.box.right, right.box.left), row, small).height / row.height
    return rows < (GUTTER_ROWS if gap <= _PIECE_GAP * small else _BRIDGED_ROWS)
