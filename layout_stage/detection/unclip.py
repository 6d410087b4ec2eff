"""Growing or shrinking boxes about their centres."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Box
from layout_stage.detection.detection_settings import Unclip

_UNCHANGED = (1.0, 1.0)


def ratio_of(label: str, unclip: Unclip | Mapping[str, Unclip]) -> Unclip:
    """By what width and height of a box of that label are multiplied."""
    return unclip.get(label, _UNCHANGED) if isinstance(unclip, Mapping) else unclip


def unclipped(box: Box, ratio: Unclip) -> Box:
    """The box with its width and height multiplied, about the same centre."""
    if ratio == _UNCHANGED:
        return box
    # In float32 like paddlex's boxes: sides are cut to whole pixels later, and must not fall on others.
    low = np.array([box.left, box.top], np.float32)
    size = np.array([box.right, box.bottom], np.float32) - low
    middle, half = low + size / 2, size * np.array(ratio, np.float32) / 2
    (left, top), (right, bottom) = (middle - half).tolist(), (middle + half).tolist()
    return Box(left, top, right, bottom)


def unclipped_outline(points: NDArray[np.float64], box: Box, ratio: Unclip) -> NDArray[np.float64]:
    """An outline, points of shape (n, 2), that grows with its box.

    paddlex 3.7.2 leaves outlines as they are, and cuts what is outside of them from the crop: there the
    setting has no effect.
    """
    centre = np.array(box.center)
    return np.asarray(centre + (points - centre) * np.array(ratio))
