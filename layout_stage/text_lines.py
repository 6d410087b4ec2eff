"""Text lines as the detector gives them, made into the lines a reader sees."""

from collections.abc import Sequence

import numpy as np

from arcscribe.types import TextLine
from layout_stage.gutters import BoxField
from layout_stage.parts import share_row, thickness

_INSIDE = 0.85
_PIECE_GAP = 0.6
_BRIDGED_GAP = 2.5
_SAME_SIZE = 1.6
_TOUCHING_SIZE = 2.2
_GUTTER_ROWS = 2.4
_BRIDGED_ROWS = 1.3


def without_nested(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """The lines without those that lie inside another: the detector sometimes finds a word of a line
    twice."""
    ordered = sorted(lines, key=lambda item: -item.box.area)
    if not ordered:
        return ()
    left, top, right, bottom = np.array(
        [(b.left, b.top, b.right, b.bottom) for b in (i.box for i in ordered)]
    ).T
    width = np.minimum.outer(right, right) - np.maximum.outer(left, left)
    height = np.minimum.outer(bottom, bottom) - np.maximum.outer(top, top)
    area = np.maximum(1e-6, (right - left) * (bottom - top))
    inside = np.maximum(0, width) * np.maximum(0, height) >= _INSIDE * area
    kept: list[int] = []
    for i in range(len(ordered)):
        if not inside[kept, i].any():
            kept.append(i)
    return tuple(sorted((ordered[i] for i in kept), key=lambda item: (item.box.top, item.box.left)))


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
    for i, line in enumerate(ordered):
        before = _piece_before(i, ordered, field)
        if before is not None and before in open_pieces:
            place = open_pieces.pop(before)
            joined[place] = join(joined[place], line)
            open_pieces[i] = place
        else:
            joined.append(line)
            open_pieces[i] = len(joined) - 1
    return tuple(sorted(joined, key=lambda item: (item.box.top, item.box.left)))


def join(left: TextLine, right: TextLine) -> TextLine:
    """One horizontal line of two pieces."""
    polygon = (left.polygon[0], right.polygon[1], right.polygon[2], left.polygon[3])
    return TextLine(left.box.union(right.box), polygon, min(left.score, right.score))


def _piece_before(i: int, ordered: Sequence[TextLine], field: BoxField) -> int | None:
    """The index of the piece that a line goes on from, if there is one; the lines are ordered by their
    left."""
    line = ordered[i]
    if line.vertical:
        return None
    in_row = [
        j
        for j in range(i)
        if not ordered[j].vertical
        and share_row(ordered[j].box, line.box, 0.6)
        and ordered[j].box.center[0] < line.box.center[0]
    ]
    before = max(in_row, key=lambda j: ordered[j].box.right, default=None)
    return before if before is not None and _are_pieces(ordered[before], line, field) else None


def _are_pieces(left: TextLine, right: TextLine, field: BoxField) -> bool:
    small, large = sorted((thickness(left), thickness(right)))
    gap = right.box.left - left.box.right
    # A piece with superscripts is higher; where two pieces touch, that is no reason to keep them apart.
    alike = large <= (_SAME_SIZE if gap > 0.3 * small else _TOUCHING_SIZE) * small
    if not alike or gap > _BRIDGED_GAP * small or gap < -2 * small:
        return False
    if gap < 2:
        return True
    row = left.box.union(right.box)
    rows = field.strip((left.box.right, right.box.left), row, small).height / row.height
    return rows < (_GUTTER_ROWS if gap <= _PIECE_GAP * small else _BRIDGED_ROWS)
