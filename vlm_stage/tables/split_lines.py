"""Text that the detector took for one line although it stands in two cells."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from arcscribe.types import Box, Point, TextLine
from vlm_stage.tables.rules import InkMask, Rule

_THROUGH = 0.8  # of the line's height is crossed by a rule that parts it
_WIDE_GAP = 0.7  # of the height of a line's box, about the width of a Han character; a space is a third of it
_INSET = 0.2  # of the height of a line's box
_MIN_PART = 0.6  # text heights of the narrower part: less is the rule beside a text


def split_at_rules(lines: Sequence[TextLine], vertical: Sequence[Rule]) -> tuple[TextLine, ...]:
    """The lines, each that a vertical rule passes through as its parts, in the rules' own pixels."""
    return tuple(part for line in lines for part in _parts(line, vertical))


def split_at_gaps(lines: Sequence[TextLine], ink: InkMask) -> tuple[TextLine, ...]:
    """The lines, each that has a gap too wide for a space between words as the parts beside it."""
    return tuple(part for line in lines for part in _divided(line, _gaps(line, ink)))


def _parts(line: TextLine, vertical: Sequence[Rule]) -> list[TextLine]:
    return _divided(line, sorted(share for rule in vertical if (share := _cut(line, rule)) is not None))


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


def _gaps(line: TextLine, ink: InkMask) -> list[float]:
    box = line.box
    if box.width < 3 * box.height:
        return []
    left, right = int(box.left), int(box.right)
    inset = _INSET * box.height  # keeps rules above and below out
    strip = ink[int(box.top + inset) : max(int(box.top + inset) + 1, int(box.bottom - inset)), left:right]
    inked = np.flatnonzero(strip.any(axis=0))
    wide = np.flatnonzero(np.diff(inked) > _WIDE_GAP * box.height)
    return [float(inked[i] + inked[i + 1]) / 2 / max(1, right - left) for i in wide]


def _cut(line: TextLine, rule: Rule) -> float | None:
    """Where along the line, 0 to 1, the rule crosses it; None where it does not."""
    height = line.box.height
    x = rule.position + rule.slope * (line.box.center[1] - (rule.start + rule.end) / 2)
    common = min(rule.end, line.box.bottom) - max(rule.start, line.box.top)
    if common < _THROUGH * height or not line.box.left < x < line.box.right:
        return None
    left = (line.polygon[0][0] + line.polygon[3][0]) / 2
    right = (line.polygon[1][0] + line.polygon[2][0]) / 2
    return (x - left) / (right - left) if right > left else None


def _part(line: TextLine, start: float, end: float) -> TextLine:
    top_left, top_right, bottom_right, bottom_left = line.polygon
    polygon = (
        _between(top_left, top_right, start),
        _between(top_left, top_right, end),
        _between(bottom_left, bottom_right, end),
        _between(bottom_left, bottom_right, start),
    )
    return replace(line, polygon=polygon, box=_box(polygon))


def _between(a: Point, b: Point, share: float) -> Point:
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def _box(polygon: Sequence[Point]) -> Box:
    xs, ys = [x for x, _ in polygon], [y for _, y in polygon]
    return Box(min(xs), min(ys), max(xs), max(ys))
