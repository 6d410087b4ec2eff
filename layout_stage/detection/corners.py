"""Which corners of an outline matter (paddlex 3.7.2, `extract_custom_vertices`)."""

import math

import numpy as np
from numpy.typing import NDArray

from layout_stage.detection.detections import Points

_FLAT = 120.0
"""Degrees from which on a corner inwards is a step of the outline and no dent."""
_BEVELLED, _NEARLY = 45.0, 1.0
"""A corner of so many degrees, or nearly, is a cut-off right angle."""
_LONGEST_SIDE = 0.3
"""Of the longest outline: what is longer gets back corners that were left out in between."""


def without_dents(points: Points, longest: float) -> Points:
    """An outline without its single corners inwards.

    Args:
        points: its corners, one or more, shape (n, 2), anticlockwise as one sees the page.
        longest: how wide the page's widest thing is, in pixels.

    Returns:
        fewer or as many corners; none where all go.
    """
    before, after = np.roll(points, 1, axis=0) - points, np.roll(points, -1, axis=0) - points
    outwards = before[:, 1] * after[:, 0] - before[:, 0] * after[:, 1] < 0
    angles = _angles(before, after)
    steps = _steps(outwards) & (angles >= _FLAT)
    kept = [int(i) for i in np.flatnonzero(outwards | steps)]
    places = _with_long_sides_split(points, kept, longest * _LONGEST_SIDE)
    bevelled = outwards & (np.abs(angles - _BEVELLED) < _NEARLY)
    corners = [points[i] + (_moved(before[i], after[i]) if bevelled[i] else 0) for i in places]
    return np.array(corners, np.float64).reshape(-1, 2)


def _angles(before: Points, after: Points) -> NDArray[np.float64]:
    """The angle between the two sides of each corner, in degrees."""
    lengths = np.hypot(*before.T) * np.hypot(*after.T)
    cosines = np.divide((before * after).sum(axis=1), lengths, out=np.zeros(len(before)), where=lengths > 0)
    return np.asarray(np.degrees(np.arccos(np.clip(cosines, -1, 1))))


def _steps(outwards: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The corners inwards that follow one another: those of steps in the outline.

    Of a run over the end of the list both parts must be that long, else no corner inwards is a step anywhere:
    so does paddlex.
    """
    inwards = ~outwards
    beside = np.concatenate([[False], inwards[:-1]]) | np.concatenate([inwards[1:], [False]])
    steps = inwards & beside
    over_the_end = bool(inwards[0] and inwards[-1])
    if over_the_end and not (steps[0] and steps[-1]):
        return np.zeros_like(steps)
    return np.asarray(steps)


def _with_long_sides_split(points: Points, kept: list[int], longest: float) -> list[int]:
    """The kept corners and some left out between two that are far apart, in the outline's order."""
    places = set(kept)
    for here, there in zip(kept, kept[1:] + kept[:1], strict=True):
        dx, dy = points[there] - points[here]
        distance = math.sqrt(dx * dx + dy * dy)
        if longest <= 0 or distance <= longest:
            continue
        between = _between(here, there, len(points))
        wanted = math.ceil(min(distance / longest, len(points) + 1)) - 1
        stride = max(1.0, len(between) / wanted)
        places.update(between[int(i * stride)] for i in range(min(wanted, len(between))))
    return sorted(places)


def _between(here: int, there: int, count: int) -> list[int]:
    """The places after one and before another, round the end of the list if need be."""
    if there > here:
        return list(range(here + 1, there))
    return [*range(here + 1, count), *range(there)]


def _moved(before: Points, after: Points) -> Points:
    """From a corner half as far into the outline as its sides are long, between them."""
    towards = before / np.linalg.norm(before) + after / np.linalg.norm(after)
    reach = (np.linalg.norm(before) + np.linalg.norm(after)) / 2
    return np.asarray(towards / np.linalg.norm(towards) * reach)
