"""Leaving out one of two things in the same place, after all else (paddlex 3.7.2, `filter_boxes`)."""

from collections.abc import Sequence
from dataclasses import dataclass

from layout_stage.detection.detections import Detection, Points
from layout_stage.detection.polygon_overlap import shared_by_smaller

_INLINE = "inline_formula"
_OBJECTS = frozenset({"image", "table", "seal", "chart"})
_LEAST_SIDE = 6
"""Pixels of the narrowest thing."""
_INLINE_OVERLAP, _OVERLAP = 0.5, 0.7
"""The most of the smaller thing that may lie in another."""
_LEFT_OUT = "reference"
"""A list of references, whose entries are things themselves: `reference_content`."""


def without_overlapping(
    detections: Sequence[Detection], outlines: Sequence[Points | None]
) -> list[Detection]:
    """The detections without specks, formulas in text, and the smaller of two in the same place.

    paddlex also drops every `reference`. Text lines in it that are in no entry are then lines without a
    region, which the stage puts back.

    Args:
        detections: in reading order, which matters where three are in the same place.
        outlines: for each its outline before it was cut at the page's edges or grown, if it has one.
    """
    items = [_Item(d, o) for d, o in zip(detections, outlines, strict=True) if d.label != _LEFT_OUT]
    dropped: set[int] = set()
    for i, item in enumerate(items):
        if min(item.detection.box.width, item.detection.box.height) < _LEAST_SIDE:
            dropped.add(i)
        for j in range(i + 1, len(items)):
            if i not in dropped and j not in dropped:
                dropped.update((i, j)[k] for k in _worse_of(item, items[j]))
    return [item.detection for i, item in enumerate(items) if i not in dropped]


@dataclass(frozen=True, slots=True, eq=False)
class _Item:
    detection: Detection
    outline: Points | None


def _worse_of(one: _Item, other: _Item) -> tuple[int, ...]:
    """Which of two must go: 0, 1, both or neither."""
    labels = (one.detection.label, other.detection.label)
    box, other_box = one.detection.box, other.detection.box
    smaller = min(box.area, other_box.area)
    overlap = box.intersection(other_box).area / smaller if smaller > 0 else 0.0
    if _INLINE in labels and overlap > _INLINE_OVERLAP:
        return tuple(k for k, label in enumerate(labels) if label == _INLINE)
    if overlap <= _OVERLAP or _outlines_part(one, other) or _may_overlap(set(labels)):
        return ()
    return (1,) if box.area >= other_box.area else (0,)


def _outlines_part(one: _Item, other: _Item) -> bool:
    """Whether outlines tell two things apart whose boxes do not."""
    if one.outline is None or other.outline is None:
        return False
    return shared_by_smaller(one.outline, other.outline) < _OVERLAP


def _may_overlap(labels: set[str]) -> bool:
    """Whether two may be in the same place: a seal on text, a picture in a table, but no text in a table."""
    if len(labels) == 1 or not labels & _OBJECTS:
        return False
    return "table" not in labels or labels <= _OBJECTS
