"""Ruling lines: the straight horizontal and vertical strokes of tables, frames and separators."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import structlog

from arcscribe.types import Box, TextLine, enclosing_box
from layout_stage.box_arrays import sides
from layout_stage.ink import Ink, Mask

_log = structlog.get_logger()

_DASH_GAP = 9
"""Pixels of the ink's mask between two dashes of one rule, at most, as the next two."""
_MAX_RULE_THICKNESS = 9.0
_SHORTEST = 20.0
_SHORTEST_EMS = 3.0
"""Heights of text: longer than any stroke of a character, and a dash."""
_LEVEL = 3.0
"""Pixels by which the pieces of one rule lie apart in height."""


_MOST = 1000
"""Our own, of strokes in one direction, against hatching and noise: a form of a box for each letter has some
hundreds. The longest are kept."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The ruling lines of a page, each as the box of its stroke."""

    horizontal: tuple[Box, ...]
    vertical: tuple[Box, ...]


NO_RULES = Rules((), ())
"""Those of a page of which none are known."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Ruling lines that cross or touch: the frame of a table, or of something else."""

    box: Box
    rows: int
    """How many spaces lie between its horizontal lines."""
    columns: int
    core: Box
    """What its vertical lines alone enclose."""


def find_rules(ink: Ink, lines: Sequence[TextLine], em: float) -> Rules:
    """The ruling lines in a page's ink.

    Args:
        ink: the page's ink.
        lines: the page's text, which is left out where dashes are sought.
        em: the height of its text in pixels; a rule is at least three times as long.
    """
    shortest = round(max(_SHORTEST, _SHORTEST_EMS * em * ink.scale))
    bare = ink.without(line.polygon for line in lines).mask
    dashed = cv2.morphologyEx(bare, cv2.MORPH_CLOSE, np.ones((1, _DASH_GAP), np.uint8))
    horizontal = _strokes(ink.mask, (shortest, 1)) + _strokes(np.asarray(dashed, np.uint8), (2 * shortest, 1))
    vertical = _strokes(ink.mask, (1, shortest))
    level = _joined([ink.to_page(*s) for s in horizontal if s[3] <= _MAX_RULE_THICKNESS], em)
    return Rules(
        tuple(rule for rule in level if not any(_underlines(rule, line) for line in lines)),
        tuple(ink.to_page(*s) for s in vertical if s[2] <= _MAX_RULE_THICKNESS),
    )


def find_grids(rules: Rules, tolerance: float) -> tuple[Grid, ...]:
    """Groups of rules that touch within the tolerance in pixels, with two or more rules each way."""
    strokes = [*rules.horizontal, *rules.vertical]
    group = list(range(len(strokes)))

    def root(i: int) -> int:
        while group[i] != i:
            group[i] = group[group[i]]
            i = group[i]
        return i

    across = len(rules.horizontal)
    left, top, right, bottom = sides(strokes[across:]).T
    for i in range(across):
        box = strokes[i].expanded(2 * tolerance)
        touching = (left < box.right) & (right > box.left) & (top < box.bottom) & (bottom > box.top)
        for j in np.flatnonzero(touching):
            group[root(i)] = root(across + int(j))
    members: dict[int, list[int]] = {}
    for i in range(len(strokes)):
        members.setdefault(root(i), []).append(i)
    grids = []
    for indexes in members.values():
        ys = _distinct([strokes[i].center[1] for i in indexes if i < across], tolerance)
        xs = _distinct([strokes[i].center[0] for i in indexes if i >= across], tolerance)
        if ys >= 2 and xs >= 1:
            core = enclosing_box(strokes[i] for i in indexes if i >= across)
            grids.append(Grid(enclosing_box(strokes[i] for i in indexes), ys - 1, max(1, xs - 1), core))
    return tuple(sorted(grids, key=lambda g: (g.box.top, g.box.left)))


def _distinct(values: list[float], tolerance: float) -> int:
    """How many of the values are further apart than twice the tolerance."""
    ordered = sorted(values)
    return sum(1 for i, v in enumerate(ordered) if i == 0 or v - ordered[i - 1] > 2 * tolerance)


def _underlines(rule: Box, line: TextLine) -> bool:
    """Whether a rule stands at the foot of a line and within it; a table's reach beyond a cell's text."""
    box, slack = line.box, 0.3 * line.box.height
    within = rule.left >= box.left - slack and rule.right <= box.right + slack
    return within and box.bottom - 1.5 * slack <= rule.center[1] <= box.bottom + 0.5 * slack


def _strokes(ink: Mask, kernel: tuple[int, int]) -> list[tuple[float, float, float, float]]:
    """Left, top, width and height of runs of ink at least as long as the kernel (width, height)."""
    opened = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((kernel[1], kernel[0]), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(opened, connectivity=8)
    strokes = stats[1:, :4]
    if len(strokes) > _MOST:
        _log.warning("too many ruling lines", found=len(strokes), kept=_MOST)
        longest = np.argsort(-strokes[:, 2:].max(axis=1), kind="stable")[:_MOST]
        strokes = strokes[np.sort(longest)]
    return [(float(x), float(y), float(w), float(h)) for x, y, w, h in strokes]


def _joined(strokes: list[Box], em: float) -> tuple[Box, ...]:
    """Horizontal strokes at the same height that overlap or nearly touch, as one."""
    joined: list[Box] = []
    for stroke in sorted(strokes, key=lambda b: b.left):
        for i, other in enumerate(joined):
            level = abs(other.center[1] - stroke.center[1]) <= _LEVEL
            if level and stroke.left <= other.right + em:
                joined[i] = other.union(stroke)
                break
        else:
            joined.append(stroke)
    return tuple(sorted(joined, key=lambda b: (b.top, b.left)))
