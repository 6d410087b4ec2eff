"""How lines look: how large and how bold their type is, and whether they lie across the page."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.types import TextLine
from layout_stage.ink import Ink, Mask
from layout_stage.parts import characters, length, thickness
from layout_stage.skew import tilt_of

_BOLD, _BOLD_WORD = 1.22, 1.35
"""How many times the usual stroke of lines of its size a bold line's is; the second for lines too short for a
good mean."""
_WORD_CHARACTERS = 5.0
"""The most square characters of such a line."""
_PEERS, _PEER_SIZE = 5, 1.2
"""How many lines say what is usual, and how many times larger or smaller their type is at most."""
_TILT, _TILTED_CHARACTERS = 12.0, 2.0
"""Degrees by which a watermark is tilted, and what is too short for its tilt to be known."""
_OUTLIERS = 0.04
"""The share of a line's ink at its top, and at its bottom, that is not counted: accents and descenders."""


@dataclass(frozen=True, slots=True)
class Look:
    """One line's type."""

    size: float
    """From the top of its ink to the bottom, in pixels, without the little that sticks out."""
    stroke: float
    """The mean width of its strokes, in pixels."""


def looks_of(lines: Sequence[TextLine], ink: Ink) -> dict[TextLine, Look]:
    """How each line looks."""
    solid = (ink.mask > 0).astype(np.uint8)
    outline = solid - cv2.erode(solid, np.ones((3, 3), np.uint8))
    edges = Ink(np.asarray(outline, np.uint8), ink.scale)
    filled = Ink(solid, ink.scale)
    return {line: _look(line, filled, edges) for line in lines}


def bold_lines(looks: dict[TextLine, Look]) -> frozenset[TextLine]:
    """The lines whose strokes are wider than those of most lines of about their size."""
    lines = list(looks)
    sizes = np.array([looks[line].size for line in lines])
    strokes = np.array([looks[line].stroke for line in lines])
    lengths = np.array([length(line) for line in lines])
    found = set()
    for line in lines:
        look = looks[line]
        peers = (sizes >= look.size / _PEER_SIZE) & (sizes <= look.size * _PEER_SIZE)
        if np.count_nonzero(peers) < _PEERS:
            continue
        usual = _weighted_median(strokes[peers], lengths[peers])
        if look.stroke > usual * (_BOLD if characters(line) >= _WORD_CHARACTERS else _BOLD_WORD):
            found.add(line)
    return frozenset(found)


def typical_size(looks: dict[TextLine, Look]) -> float:
    """The size of the type that most of the text is set in, in pixels; 1 or more."""
    if not looks:
        return 1.0
    sizes = np.array([look.size for look in looks.values()])
    return max(1.0, _weighted_median(sizes, np.array([length(line) for line in looks])))


def tilted_lines(lines: Sequence[TextLine]) -> frozenset[TextLine]:
    """The lines that run aslant on a level page, as watermarks do."""
    return frozenset(
        line for line in lines if abs(tilt_of(line)) > _TILT and characters(line) > _TILTED_CHARACTERS
    )


def _look(line: TextLine, solid: Ink, edges: Ink) -> Look:
    part = solid.part(line.box)
    area, edge = float(part.sum()), float(edges.part(line.box).sum())
    stroke = 2 * area / edge if edge else 0.0
    return Look(_extent(part, line) / solid.scale, stroke / solid.scale)


def _extent(part: Mask, line: TextLine) -> float:
    """How many rows (columns, of a vertical line) all but the outermost ink takes up."""
    profile = part.sum(axis=0 if line.vertical else 1, dtype=np.float64)
    if profile.sum() <= 0:
        return thickness(line)
    share = np.cumsum(profile) / profile.sum()
    first, last = np.searchsorted(share, [_OUTLIERS, 1 - _OUTLIERS])
    return float(last - first + 1)


def _weighted_median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(total, total[-1] / 2)])
