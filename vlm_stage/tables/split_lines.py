"""Text that the detector took for one line although it stands in two cells."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from arcscribe.types import Box, Point, TextLine
from vlm_stage.tables.rules import InkMask, Rule

_THROUGH = 0.8  # of the line's height is crossed by a rule that parts it
_WIDE_GAP = 0.7  # of the height of a line's box, about the width of a Han character; a space is a third of it
_COLUMN_GAP = 0.35  # of the height of a line's box, more than most spaces between words
_INSET = 0.2  # of the height of a line's box, which keeps rules above and below out
_MIN_PART = 0.6  # text heights of the narrower part: less is the rule beside a text


def split_at_rules(lines: Sequence[TextLine], vertical: Sequence[Rule]) -> tuple[TextLine, ...]:
    """The lines, each that a vertical rule passes through as its parts, in the rules' own pixels."""
    return tuple(part for line in lines for part in _divided(line, _crossings(line, vertical)))


def split_at_gaps(lines: Sequence[TextLine], ink: InkMask) -> tuple[TextLine, ...]:
    """The lines, each that has a gap too wide for a space between words as the parts beside it."""
    return tuple(
        part
        for line in lines
        for part in _divided(line, [(a[1] + b[0]) / 2 for a, b in pairwise(_inked(line, ink, _WIDE_GAP))])
    )


def split_at_columns(
    lines: Sequence[TextLine], ink: InkMask, columns: Sequence[Rule]
) -> tuple[TextLine, ...]:
    """The lines, each that is blank where it crosses the middle of a white column as the parts beside it."""
    out: list[TextLine] = []
    for line in lines:
        blanks = [(a[1], b[0]) for a, b in pairwise(_inked(line, ink, _COLUMN_GAP))]
        cuts = [cut for cut in _crossings(line, columns) if any(a <= cut <= b for a, b in blanks)]
        out.extend(_divided(line, cuts))
    return tuple(out)


def inked_parts(line: TextLine, ink: InkMask, min_gap: float) -> list[TextLine]:
    """The parts of a line that hold ink, without the white round them; the line itself if it holds none.

    Args:
        line: a line that is not far from level.
        ink: of the image.
        min_gap: the least gap between two parts, in heights of the line's box.
    """
    if line.vertical:
        return [line]
    return [_part(line, start, end) for start, end in _inked(line, ink, min_gap)] or [line]


def _inked(line: TextLine, ink: InkMask, min_gap: float) -> list[tuple[float, float]]:
    """Where along the line, 0 to 1, there is ink, in stretches with at least that gap between them."""
    box = line.box
    left, right = max(0, int(box.left)), int(box.right) + 1
    inset = _INSET * box.height
    top = max(0, int(box.top + inset))
    strip = ink[top : max(top + 1, int(box.bottom - inset)), left:right]
    columns = np.flatnonzero(strip.any(axis=0))
    if not columns.size:
        return []
    width = strip.shape[1]
    ends = np.flatnonzero(np.diff(columns) > max(1.0, min_gap * box.height))
    starts = [columns[0], *columns[ends + 1]]
    stops = [*columns[ends], columns[-1]]
    return [
        (float(start) / width, float(stop + 1) / width) for start, stop in zip(starts, stops, strict=True)
    ]


def _crossings(line: TextLine, vertical: Sequence[Rule]) -> list[float]:
    return sorted(share for rule in vertical if (share := _crossing(line, rule)) is not None)


def _crossing(line: TextLine, rule: Rule) -> float | None:
    """Where along the line, 0 to 1, the rule crosses it; None where it does not."""
    x = rule.position + rule.slope * (line.box.center[1] - (rule.start + rule.end) / 2)
    common = min(rule.end, line.box.bottom) - max(rule.start, line.box.top)
    if common < _THROUGH * line.box.height or not line.box.left < x < line.box.right:
        return None
    left = (line.polygon[0][0] + line.polygon[3][0]) / 2
    right = (line.polygon[1][0] + line.polygon[2][0]) / 2
    return (x - left) / (right - left) if right > left else None


def _divided(line: TextLine, cuts: Sequence[float]) -> list[TextLine]:
    """The line cut at those shares of its length, but not where a part would be too narrow for text."""
    if line.vertical:
        return [line]
    margin = _MIN_PART * line.box.height / max(line.box.width, 1.0)
    ends = [0.0]
    for cut in cuts:
        if cut - ends[-1] > margin and 1 - cut > margin:
            ends.append(cut)
    ends.append(1.0)
    return [_part(line, a, b) for a, b in pairwise(ends)] if len(ends) > 2 else [line]


def _part(line: TextLine, start: float, end: float) -> TextLine:
    top_left, top_right, bottom_right, bottom_left = line.polygon
    polygon = (
        _between(top_left, top_right, start),
        _between(top_left, top_right, end),
        _between(bottom_left, bottom_right, end),
        _between(bottom_left, bottom_right, start),
    )
    xs, ys = [x for x, _ in polygon], [y for _, y in polygon]
    return replace(line, polygon=polygon, box=Box(min(xs), min(ys), max(xs), max(ys)))


def _between(a: Point, b: Point, share: float) -> Point:
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])
