"""From what a layout network says to what is on the page, as paddlex 3.7.2 does it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from arcscribe.types import Box
from layout_stage.detection.containment import merged
from layout_stage.detection.detection_settings import DetectionSettings
from layout_stage.detection.detections import Candidate, Detection
from layout_stage.detection.overlaps import without_overlapping
from layout_stage.detection.page_pictures import without_page_pictures
from layout_stage.detection.polygons import Outline, polygons
from layout_stage.detection.predicted_order import in_predicted_order
from layout_stage.detection.suppression import suppressed
from layout_stage.detection.thresholds import over_threshold
from layout_stage.detection.unclip import ratio_of, unclipped, unclipped_outline
from layout_stage.parts import PageSize


def postprocess(
    candidates: Sequence[Candidate], size: PageSize, settings: DetectionSettings
) -> tuple[Detection, ...]:
    """The page's things: in predicted reading order if there is one, else the best scored first.

    Args:
        candidates: one page's, in any order; their numbers finite.
        size: the page's.
        settings: what is kept.
    """
    seen = over_threshold(candidates, settings.threshold)
    if settings.whole_pixels:
        seen = [replace(c, box=_rounded(c.box)) for c in seen]
    if settings.nms:
        seen = suppressed(seen)
    seen = merged(without_page_pictures(seen, size), settings.merge)
    seen = in_predicted_order(seen)
    outlines = polygons(seen, size, settings.shape)
    placed = [
        (_on_page(place, candidate, outline, size, settings), outline)
        for place, (candidate, outline) in enumerate(zip(seen, outlines, strict=True))
    ]
    placed = [(detection, outline) for detection, outline in placed if detection.box.area > 0]
    found = [detection for detection, _ in placed]
    if settings.drop_overlapping:
        found = without_overlapping(found, [outline.points if outline else None for _, outline in placed])
    return tuple(found)


def _rounded(box: Box) -> Box:
    """The box in whole pixels, as models that draw masks have it."""
    return Box(*(float(round(side)) for side in (box.left, box.top, box.right, box.bottom)))


def _on_page(
    place: int, candidate: Candidate, outline: Outline | None, size: PageSize, settings: DetectionSettings
) -> Detection:
    """A candidate grown as the settings say, and cut at the page's edges."""
    ratio = ratio_of(candidate.label, settings.unclip)
    box = unclipped(candidate.box, ratio).clipped(size.width, size.height)
    if settings.whole_pixels:
        box = Box(*(float(int(side)) for side in (box.left, box.top, box.right, box.bottom)))
    polygon = None
    if outline is not None and not outline.is_box:
        points = unclipped_outline(outline.points, candidate.box, ratio)
        inside = np.clip(points, 0, (size.width, size.height))
        polygon = tuple((x, y) for x, y in inside.tolist())
    order = None if candidate.order is None else place
    return Detection(candidate.label, candidate.score, box, order, polygon)
