"""Taking the tilt of a scan out of boxes and lines, rather than out of the image."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from arcscribe.types import Box, TextLine
from vlm_stage.tables.rules import Rule, Rules

_MAX_TILT = 0.1  # pixels down for each along, about 6 degrees: rules that fall more are not found
_LONGEST = 9  # rules: short ones have their slope from few pixels
_LONG_LINE = 3.0  # heights of a line's own box, for the same reason


@dataclass(frozen=True, slots=True)
class TableGeometry:
    """Text boxes and ruling lines of a table, in pixels, as if it stood straight."""

    boxes: tuple[Box, ...]
    rules: Rules
    text_height: float


def straighten(lines: Sequence[TextLine], rules: Rules, text_height: float) -> TableGeometry:
    """The geometry without tilt, which is that of the long horizontal rules, or else of the lines of text."""
    tilt = _tilt(lines, rules)
    return TableGeometry(
        tuple(_box(line, tilt) for line in lines),
        Rules(_straight(rules.horizontal, tilt), _straight(rules.vertical, -tilt)),
        text_height,
    )


def _tilt(lines: Sequence[TextLine], rules: Rules) -> float:
    longest = sorted(rules.horizontal, key=lambda rule: -rule.length)[:_LONGEST]
    slopes = [rule.slope for rule in longest]
    if len(slopes) < 2:
        slopes = [
            _line_slope(line)
            for line in lines
            if not line.vertical and line.box.width > _LONG_LINE * line.box.height
        ]
    tilt = median(slopes) if slopes else 0.0
    return float(tilt) if abs(tilt) <= _MAX_TILT else 0.0


def _line_slope(line: TextLine) -> float:
    (x0, y0), (x1, y1) = line.polygon[0], line.polygon[1]
    return (y1 - y0) / (x1 - x0) if x1 > x0 else 0.0


def _box(line: TextLine, tilt: float) -> Box:
    corners = np.array(line.polygon)
    xs, ys = corners[:, 0] + tilt * corners[:, 1], corners[:, 1] - tilt * corners[:, 0]
    # The mean of two corners for each side: a corner of a tilted rectangle lies too far out.
    xs, ys = np.sort(xs), np.sort(ys)
    return Box(float(xs[:2].mean()), float(ys[:2].mean()), float(xs[2:].mean()), float(ys[2:].mean()))


def _straight(rules: Sequence[Rule], tilt: float) -> tuple[Rule, ...]:
    turned = (
        Rule(
            rule.start + tilt * rule.position,
            rule.end + tilt * rule.position,
            rule.position - tilt * (rule.start + rule.end) / 2,
            rule.slope - tilt,
        )
        for rule in rules
    )
    return tuple(sorted(turned, key=lambda rule: rule.position))
