"""Putting text lines together to paragraphs: first columns of lines, then the places where a paragraph ends.

Vertical lines are handled in turned coordinates, in which their columns, read from right to left, are lines
read from top to bottom; so one rule serves both.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box, TextLine
from layout_stage.box_arrays import sides
from layout_stage.fusion.paragraphs import split_paragraphs
from layout_stage.fusion.style import Style
from layout_stage.parts import overlap, turned

_MAX_LEADING = 1.5
"""The most white between two lines of a text, in heights of the higher one."""
_SAME_SIZE = 1.7
"""How many times higher than the other one of two lines of a text is, at most."""
_STACKED = 0.2
"""Of the narrower line's width, that two lines below each other have in common."""
_SAME_ROW, _IN_WIDTH = 0.6, 0.3
"""Of the lower line's height, that two lines in a row have in common, and of a line's width, that lies within
another's."""
_BARRED, _SLACK = 0.2, 0.15
"""Of what two lines have in common, that a barrier between them covers, and of the lower one's height, by
which barriers and lines may overlap."""


def find_blocks(
    lines: Sequence[TextLine], barriers: Sequence[Box], styles: Mapping[TextLine, Style]
) -> list[tuple[TextLine, ...]]:
    """Paragraphs, each a run of lines in reading order; every line is in exactly one.

    Args:
        lines: horizontal and vertical text lines.
        barriers: boxes (ruling lines, tables, pictures) that no paragraph crosses.
        styles: how each line looks.
    """
    blocks: list[tuple[TextLine, ...]] = []
    for vertical in (False, True):
        own = [line for line in lines if line.vertical == vertical]
        place = turned if vertical else _as_is
        for chain in _chains(own, [place(b) for b in barriers], place):
            blocks.extend(split_paragraphs(chain, [place(line.box) for line in chain], styles))
    return blocks


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
        self._left, self._top, self._right, self._bottom = sides(boxes).T
        self._height = np.maximum(1.0, self._bottom - self._top)
        self._width = np.maximum(1.0, self._right - self._left)
        self._middle = (self._top + self._bottom) / 2

    def nearest(self, i: int, *, down: bool) -> int | None:
        """The line next below (or above) in the same column, if it can belong to the same text."""
        common = np.minimum(self._right, self._right[i]) - np.maximum(self._left, self._left[i])
        stacked = common > _STACKED * np.minimum(self._width, self._width[i])
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
        return np.asarray(common >= _SAME_ROW * np.minimum(self._height, self._height[i]), np.bool_)

    def _is_alone(self, i: int, j: int) -> bool:
        """Whether nothing but j stands in the row of j within the width of i: else i spans columns."""
        common = np.minimum(self._right, self._right[i]) - np.maximum(self._left, self._left[i])
        others = self._share_row(j) & (common > _IN_WIDTH * self._width)
        others[[i, j]] = False
        return not others.any()


def _is_barred(a: Box, b: Box, barriers: Sequence[Box]) -> bool:
    """Whether something lies in the white between two lines, across a part of what they have in common."""
    left, right = max(a.left, b.left), min(a.right, b.right)
    slack = _SLACK * min(a.height, b.height)
    top, bottom = a.bottom - slack, b.top + slack
    return any(
        min(top, bottom) <= bar.center[1] <= max(top, bottom)
        and overlap(left, right, bar.left, bar.right) > _BARRED * (right - left)
        for bar in barriers
    )
