"""Choosing between boxes that lie in one another, as paddlex 3.7.2 does it (`check_containment`)."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from layout_stage.box_arrays import sides
from layout_stage.detection.detection_settings import MergeMode
from layout_stage.detection.detections import Candidate

BoolArray = NDArray[np.bool_]

_WITHIN = 0.9
"""The least part of a box in another that makes it lie in there."""
_FORMULA = "formula"
"""Lies in no box of another label: a formula in a paragraph is read by itself."""


def merged(candidates: Sequence[Candidate], mode: MergeMode | Mapping[str, MergeMode]) -> list[Candidate]:
    """The candidates without those that another stands for.

    With one mode for all, `large` leaves out what lies in anything, `small` what holds anything, unless it
    lies in something itself. With a mode for each label, `large` leaves out what lies in a box of that label,
    `small` what holds one. All is decided on the candidates as they came: of two boxes that lie in each other
    both may go, in paddlex too; the page's text lines then bring them back.
    """
    inside = _inside(candidates)
    labels = np.array([c.label for c in candidates], object)
    keep = np.ones(len(candidates), bool)
    if isinstance(mode, MergeMode):
        keep = _kept(inside, mode)
    else:
        for label, of_label in mode.items():
            outer = labels[None, :] == label if of_label is MergeMode.LARGE else labels[:, None] == label
            keep &= _kept(inside & outer, of_label)
    return [c for c, kept in zip(candidates, keep, strict=True) if kept]


def _kept(inside: BoolArray, mode: MergeMode) -> BoolArray:
    lies_in, holds = inside.any(axis=1), inside.any(axis=0)
    match mode:
        case MergeMode.UNION:
            return np.ones(len(inside), bool)
        case MergeMode.LARGE:
            return np.asarray(~lies_in)
        case MergeMode.SMALL:
            return np.asarray(~holds | lies_in)


def _inside(candidates: Sequence[Candidate]) -> BoolArray:
    """Whether the candidate of a row lies in that of a column."""
    boxes = sides(candidate.box for candidate in candidates)
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    common = np.prod(np.maximum(0, high - low), axis=2)
    areas = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)[:, None]
    inside = np.divide(common, areas, out=np.zeros_like(common), where=areas > 0) >= _WITHIN
    formula = np.array([c.label == _FORMULA for c in candidates], bool)
    inside &= ~(formula[:, None] & ~formula[None, :])
    np.fill_diagonal(inside, val=False)
    return np.asarray(inside)
