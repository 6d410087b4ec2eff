"""From the picture of a seal to the images of what it says: along its ring first, then across its middle."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from arcscribe.types import Box, Crop, Point, RgbImage, TextLine
from vlm_stage.engines.pp_ocr.line_images import line_images, scale_line
from vlm_stage.engines.pp_ocr.seal_band import OUTER, STRIP_DIAMETER, unroll, widest_gap
from vlm_stage.engines.pp_ocr.seal_ink import GreyImage, seal_ink
from vlm_stage.engines.pp_ocr.seal_ring import INKED, Ring, fit_ring

Detect = Callable[[RgbImage], tuple[TextLine, ...]]
"""Finds the lines of an image, in its own pixels."""

_LARGEST = 640
"""Pixels of the longer side of a seal's picture; of a larger one nothing more is read."""
_DEEPEST = 0.165
"""Below the ring's outer edge, in diameters as all depths, where the middle of a line along it may lie."""
_HEIGHTS = (0.03, 0.25)
"""Of a line along the ring, in diameters."""
_ONE_ARC_GAP, _ONE_ARC_HEIGHTS, _ONE_ARC_ROW = 2.0, 1.4, 0.5
"""Between pieces of one line: the most heights apart, how many times as high, and the least of the lower
one's height in common."""
_THICKEST_STROKE = 0.035
"""In diameters: letters of 5 mm in bold type have strokes of a third of that on a seal of 40 mm."""
_RIM = 0.045
"""The depth of the ring's inner edge."""
_WHOLE_RING = 0.9
"""A line along more of the ring than this does not tell where the seal's top is."""
_PAD = 2
"""Pixels of the strip round a line."""


@dataclass(frozen=True, slots=True, eq=False)
class Inscription:
    """A line of a seal, and its images, 48 pixels high, of which the one that reads best counts."""

    line: TextLine
    images: tuple[RgbImage, ...]


def cut_seal(crop: Crop, detect: Detect) -> tuple[Inscription, ...]:
    """What is written along a seal's ring, the longest line first, and then across its middle.

    The band inside the ring is unrolled, and lines are found in it as on a page. Each gives two images,
    upright and upside down, since letters along the lower arc may stand with their heads to the middle.
    What text the seal was stamped over is left out by its colour.

    Returns:
        nothing where the picture has no ring, as a square seal's.
    """
    scale = min(1.0, _LARGEST / max(crop.pixels.shape[:2]))
    ink = seal_ink(crop.pixels)
    if scale < 1:
        ink = np.asarray(cv2.resize(ink, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    ring = fit_ring(ink)
    if ring is None:
        return ()
    band = unroll(ring, widest_gap(ink, ring))
    strip = band.straighten(ink)
    arcs = arc_boxes(detect(strip))
    outlines = [band.outline(arc) for arc in arcs]
    top = band.direction(arcs[0]) if arcs and arcs[0].width < _WHOLE_RING * strip.shape[1] else 0.0
    along = [
        Inscription(_line(outline, scale), _both_ways(strip, arc))
        for arc, outline in zip(arcs, outlines, strict=True)
    ]
    return (*along, *_across(_bare(ink, ring, outlines), ring, top, scale, detect))


def arc_boxes(lines: Sequence[TextLine]) -> list[Box]:
    """The boxes of lines along the ring in the strip, pieces of one joined, the largest first."""
    near = [line.box for line in lines if _is_along(line.box)]
    boxes: list[Box] = []
    for box in sorted(near, key=lambda box: box.left):
        before = next((i for i, other in enumerate(boxes) if _is_one_arc(other, box)), None)
        if before is None:
            boxes.append(box)
        else:
            boxes[before] = boxes[before].union(box)
    return sorted(boxes, key=lambda box: -box.area)


def _is_along(box: Box) -> bool:
    """Whether a box of the strip is a line along the ring, not the head of one across the seal."""
    depth = box.center[1] / STRIP_DIAMETER + OUTER
    low, high = _HEIGHTS
    return depth <= _DEEPEST and low <= box.height / STRIP_DIAMETER <= high and box.width > box.height


def _is_one_arc(before: Box, box: Box) -> bool:
    low, high = sorted((before.height, box.height))
    common = min(before.bottom, box.bottom) - max(before.top, box.top)
    is_near = box.left - before.right <= _ONE_ARC_GAP * low
    return is_near and common >= _ONE_ARC_ROW * low and high <= _ONE_ARC_HEIGHTS * low


def _both_ways(strip: RgbImage, box: Box) -> tuple[RgbImage, ...]:
    """A line of the strip, upright and upside down."""
    top, left = max(0, int(box.top) - _PAD), max(0, int(box.left) - 2 * _PAD)
    upright = strip[top : int(box.bottom) + _PAD, left : int(box.right) + 2 * _PAD]
    return tuple(scale_line(np.ascontiguousarray(image)) for image in (upright, upright[::-1, ::-1]))


def _bare(ink: GreyImage, ring: Ring, outlines: Sequence[tuple[Point, ...]]) -> GreyImage:
    """The seal's ink without the ring and the lines along it."""
    inside = np.zeros(ink.shape, np.uint8)
    cut = 2 * _RIM * ring.diameter
    axes = (max(1.0, ring.axes[0] - cut), max(1.0, ring.axes[1] - cut))
    cv2.ellipse(inside, (ring.center, axes, ring.angle), (1,), -1)
    for outline in outlines:
        cv2.fillPoly(inside, [np.round(outline).astype(np.int32)], (0,))
    return _without_emblem(np.where(inside, ink, np.uint8(255)), ring)


def _without_emblem(ink: GreyImage, ring: Ring) -> GreyImage:
    """The ink without what is solid, such as the star in the middle, which would be read as a letter."""
    mask = (ink < INKED).astype(np.uint8)
    stroke = max(3, round(_THICKEST_STROKE * ring.diameter))
    solid = cv2.erode(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (stroke, stroke)))
    _, labels = cv2.connectedComponents(mask, connectivity=8)
    emblem = np.isin(labels, np.unique(labels[solid > 0])).astype(np.uint8)
    around = cv2.dilate(emblem, np.ones((5, 5), np.uint8))
    return np.where(around, np.uint8(255), ink)


def _across(bare: GreyImage, ring: Ring, top: float, scale: float, detect: Detect) -> list[Inscription]:
    """The lines across the middle of a seal whose top is turned by so many degrees."""
    grown = STRIP_DIAMETER / ring.diameter
    there = np.asarray(cv2.getRotationMatrix2D(ring.center, top, grown), np.float64)
    there[:, 2] += STRIP_DIAMETER / 2 - np.array(ring.center)
    side = round(STRIP_DIAMETER)
    upright = cv2.warpAffine(bare, there, (side, side), flags=cv2.INTER_CUBIC, borderValue=(255,))
    image = np.repeat(np.asarray(upright, np.uint8)[:, :, None], 3, axis=2)
    back = cv2.invertAffineTransform(there)
    found = []
    for line in detect(image):
        corners = cv2.transform(np.array([line.polygon], np.float64), back)[0]
        images = tuple(scale_line(view) for view in line_images(image, line))
        found.append(Inscription(_line(tuple((float(x), float(y)) for x, y in corners), scale), images))
    return found


def _line(outline: tuple[Point, ...], scale: float) -> TextLine:
    """The upright line round an outline in a picture that is so many times as large as the crop."""
    points = np.array(outline) / scale
    box = Box(*map(float, points.min(axis=0)), *map(float, points.max(axis=0)))
    return TextLine(box, box.to_polygon(), 1.0)
