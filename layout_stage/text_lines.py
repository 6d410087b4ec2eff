"""Text lines as the detector gives them, made into the lines a reader sees."""

from collections.abc import Sequence

from arcscribe.types import Box, TextLine
from layout_stage.parts import overlap, share_row, thickness

_INSIDE = 0.85
_PIECE_GAP = 0.6
_BRIDGED_GAP = 2.5


def without_nested(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """The lines without those that lie inside another: the detector sometimes finds a word of a line once more."""
    kept: list[TextLine] = []
    for line in sorted(lines, key=lambda item: -item.box.area):
        if all(line.box.coverage_by(other.box) < _INSIDE for other in kept):
            kept.append(line)
    return tuple(sorted(kept, key=lambda item: (item.box.top, item.box.left)))


def merge_pieces(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """Joins the pieces of one visual line.

    Two neighbours in a row are pieces of one line where the gap is narrow, or where it is moderate and a line above or
    below runs right across it; a gap that goes on above and below is a gutter between columns.
    """
    merged = sorted(lines, key=lambda item: (item.box.left, item.box.top))
    found = True
    while found:
        found = False
        for i, left in enumerate(merged):
            right = _continuation(left, merged)
            if right is not None:
                merged = [item for item in merged if item is not left and item is not right]
                merged.insert(i, join(left, right))
                found = True
                break
    return tuple(sorted(merged, key=lambda item: (item.box.top, item.box.left)))


def join(left: TextLine, right: TextLine) -> TextLine:
    """One horizontal line of two pieces."""
    polygon = (left.polygon[0], right.polygon[1], right.polygon[2], left.polygon[3])
    return TextLine(left.box.union(right.box), polygon, min(left.score, right.score))


def _continuation(left: TextLine, lines: Sequence[TextLine]) -> TextLine | None:
    """The piece that goes on where a piece ends, if there is one."""
    if left.vertical:
        return None
    rest = [
        other
        for other in lines
        if other is not left
        and not other.vertical
        and share_row(left.box, other.box, 0.6)
        and other.box.center[0] > left.box.center[0]
    ]
    if not rest:
        return None
    right = min(rest, key=lambda other: other.box.left)
    size = min(thickness(left), thickness(right))
    gap = right.box.left - left.box.right
    if max(thickness(left), thickness(right)) > 1.6 * size or gap < -2 * size:
        return None
    if gap <= _PIECE_GAP * size and not _is_gutter(left.box.right, right.box.left, left, lines):
        return right
    bridged = gap <= _BRIDGED_GAP * size and _is_bridged(left, right, lines)
    return right if bridged else None


def _neighbours(row: Box, lines: Sequence[TextLine]) -> list[TextLine]:
    """Lines just above or below a row."""
    reach = 1.6 * row.height
    return [
        line
        for line in lines
        if not line.vertical
        and not share_row(line.box, row)
        and overlap(row.top - reach, row.bottom + reach, line.box.top, line.box.bottom)
        > 0.5 * line.box.height
    ]


def _is_bridged(left: TextLine, right: TextLine, lines: Sequence[TextLine]) -> bool:
    row = left.box.union(right.box)
    margin = row.height
    return any(
        line.box.left < left.box.right - margin and line.box.right > right.box.left + margin
        for line in _neighbours(row, lines)
    )


def _is_gutter(start: float, end: float, left: TextLine, lines: Sequence[TextLine]) -> bool:
    """Whether lines above and below end and begin where this one does, and none runs across."""
    margin = 0.6 * left.box.height
    near = _neighbours(left.box, lines)
    crossing = any(n.box.left < start - margin and n.box.right > end + margin for n in near)
    ends = any(abs(n.box.right - start) < 2 * margin for n in near)
    begins = any(abs(n.box.left - end) < margin for n in near)
    return ends and begins and not crossing
