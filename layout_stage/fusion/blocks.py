"""Putting text lines together to paragraphs: first columns of lines, then the places where a paragraph ends.

Vertical lines are handled in turned coordinates, in which their columns, read from right to left, are lines read from
top to bottom; so one rule serves both.
"""

from collections.abc import Callable, Hashable, Sequence
from statistics import median

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box, TextLine
from layout_stage.parts import overlap

_MAX_LEADING = 1.5
_SAME_SIZE = 1.4
_EXTRA_LEADING = 0.45
_INDENT = 0.8
_SHORT = 2.0

LabelOf = Callable[[TextLine], Hashable]


def find_blocks(
    lines: Sequence[TextLine], barriers: Sequence[Box], label_of: LabelOf
) -> list[tuple[TextLine, ...]]:
    """Paragraphs, each a run of lines in reading order; every line is in exactly one.

    Args:
        lines: horizontal and vertical text lines.
        barriers: boxes (ruling lines, tables, pictures) that no paragraph crosses.
        label_of: what a line is to the network and to the eye; a change of it ends a paragraph.
    """
    blocks: list[tuple[TextLine, ...]] = []
    for vertical in (False, True):
        own = [line for line in lines if line.vertical == vertical]
        place = turned if vertical else _as_is
        for chain in _chains(own, [place(b) for b in barriers], place):
            blocks.extend(_paragraphs(chain, place, label_of))
    return blocks


def turned(box: Box) -> Box:
    """A box after a turn of the page that makes columns read from right to left lines read from top to bottom."""
    return Box(box.top, -box.right, box.bottom, -box.left)


def _as_is(box: Box) -> Box:
    return box


def _chains(
    lines: Sequence[TextLine], barriers: Sequence[Box], place: Callable[[Box], Box]
) -> list[list[TextLine]]:
    """Columns of lines: each line linked to the one below it where each is the other's nearest."""
    if not lines:
        return []
    boxes = [place(line.box) for line in lines]
    field = _Neighbours(boxes)
    below = [field.nearest(i, down=True) for i in range(len(lines))]
    above = [field.nearest(i, down=False) for i in range(len(lines))]
    follows: dict[int, int] = {}
    for i, j in enumerate(below):
        if j is not None and above[j] == i and not _is_barred(boxes[i], boxes[j], barriers):
            follows[i] = j
    heads = set(range(len(lines))) - set(follows.values())
    chains: list[list[TextLine]] = []
    for head in sorted(heads, key=lambda i: (boxes[i].top, boxes[i].left)):
        chain, at = [lines[head]], head
        while at in follows:
            at = follows[at]
            chain.append(lines[at])
        chains.append(chain)
    return chains


class _Neighbours:
    """The boxes of lines, asked which of them follow each other in a column."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        sides = np.array([(b.left, b.top, b.right, b.bottom) for b in boxes], np.float64)
        self._left, self._top, self._right, self._bottom = sides.T
        self._height = np.maximum(1.0, self._bottom - self._top)
        self._width = np.maximum(1.0, self._right - self._left)
        self._middle = (self._top + self._bottom) / 2

    def nearest(self, i: int, *, down: bool) -> int | None:
        """The line next below (or above) in the same column, if it can belong to the same text."""
        common = np.minimum(self._right, self._right[i]) - np.maximum(self._left, self._left[i])
        stacked = common > 0.2 * np.minimum(self._width, self._width[i])
        beyond = (self._middle > self._middle[i]) == down
        candidates = stacked & beyond & ~self._share_row(i)
        candidates[i] = False
        if not candidates.any():
            return None
        distance = np.maximum(self._top, self._top[i]) - np.minimum(self._bottom, self._bottom[i])
        j = int(np.argmin(np.where(candidates, np.maximum(distance, 0.0), np.inf)))
        small, large = sorted((self._height[i], self._height[j]))
        if distance[j] > _MAX_LEADING * large or large > _SAME_SIZE * small:
            return None
        return j if self._is_alone(i, j) and self._is_alone(j, i) else None

    def _share_row(self, i: int) -> NDArray[np.bool_]:
        """Which lines stand beside a line."""
        common = np.minimum(self._bottom, self._bottom[i]) - np.maximum(self._top, self._top[i])
        return common >= 0.6 * np.minimum(self._height, self._height[i])

    def _is_alone(self, i: int, j: int) -> bool:
        """Whether nothing stands in the row of j within the width of i but j: else i spans several columns."""
        common = np.minimum(self._right, self._right[i]) - np.maximum(self._left, self._left[i])
        others = self._share_row(j) & (common > 0.3 * self._width)
        others[[i, j]] = False
        return not others.any()


def _is_barred(a: Box, b: Box, barriers: Sequence[Box]) -> bool:
    """Whether something lies between two lines across half of what they have in common."""
    left, right = max(a.left, b.left), min(a.right, b.right)
    top, bottom = a.center[1], b.center[1]
    return any(
        top < bar.center[1] < bottom
        and overlap(left, right, bar.left, bar.right) > 0.5 * (right - left)
        and bar.height < bottom - top
        for bar in barriers
    )


def _paragraphs(
    chain: Sequence[TextLine], place: Callable[[Box], Box], label_of: LabelOf
) -> list[tuple[TextLine, ...]]:
    boxes = [place(line.box) for line in chain]
    em = median(box.height for box in boxes)
    # From bottom to bottom, since a superscript makes a line's box higher and not lower.
    steps = [b.bottom - a.bottom for a, b in zip(boxes, boxes[1:], strict=False)]
    usual = sorted(steps)[(len(steps) - 1) // 3] if steps else 0.0
    edges = _Edges.of(boxes, em)
    paragraphs: list[list[TextLine]] = [[chain[0]]]
    for i in range(1, len(chain)):
        ends = (
            steps[i - 1] > usual + _EXTRA_LEADING * em
            or label_of(chain[i - 1]) != label_of(chain[i])
            or edges.begins(boxes[i - 1], boxes[i])
        )
        if ends:
            paragraphs.append([])
        paragraphs[-1].append(chain[i])
    return [tuple(p) for p in paragraphs]


class _Edges:
    """Where the lines of a column begin and end, and what that says of its paragraphs."""

    def __init__(self, left: float, right: float, em: float, *, hanging: bool, justified: bool) -> None:
        self.left, self.right, self.em = left, right, em
        self.hanging, self.justified = hanging, justified

    @classmethod
    def of(cls, boxes: Sequence[Box], em: float) -> "_Edges":
        lefts = sorted(box.left for box in boxes)
        left, right = lefts[0], max(box.right for box in boxes)
        near = _INDENT * em
        at_left = sum(1 for x in lefts if x - left < near)
        full = sum(1 for box in boxes if right - box.right < near)
        hanging = len(boxes) >= 3 and at_left < 0.5 * len(boxes) and _share_an_edge(lefts, left, near)
        return cls(left, right, em, hanging=hanging, justified=full >= 0.6 * len(boxes))

    def begins(self, before: Box, box: Box) -> bool:
        """Whether a paragraph begins at a box: by its indent, its outdent in a list, or the short line before it."""
        near = _INDENT * self.em
        indent = box.left - self.left
        if self.hanging:
            return indent < near
        if indent >= near and before.left - self.left < near:
            return True
        return self.justified and self.right - before.right > _SHORT * self.em


def _share_an_edge(lefts: Sequence[float], left: float, near: float) -> bool:
    """Whether the lines that do not begin at the left all begin at one other place."""
    inner = [x for x in lefts if x - left >= near]
    return max(inner) - min(inner) < 2 * near
