"""Regions cut out of an upright page, for the VLM stage."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor

import cv2
import numpy as np

from arcscribe.errors import InferenceFailed, InvalidDocument
from arcscribe.geometry import shifted_line, shifted_points
from arcscribe.types import (
    Box,
    Crop,
    Point,
    RecognizeOptions,
    Region,
    RegionFailure,
    RegionKind,
    RegionText,
    RgbImage,
)
from orchestrator.tilted_frame import TiltedFrame, tilted_frame

SMALLEST_SIDE = 6
"""Smaller regions are specks (the bound of PaddleOCR-VL's own pipeline, paddlex 3.7.2)."""

MARGIN = 4
"""Pixels round a region, so that no stroke at its edge is cut; less than the space between two lines."""

_MOST_COVERS = 16
"""Times that the regions of a page may cover it, pictures with all that is in them included."""

_NO_MARGIN = frozenset(
    {
        RegionKind.IMAGE,
        RegionKind.CHART,
        RegionKind.SEAL,
        RegionKind.HEADER_IMAGE,
        RegionKind.FOOTER_IMAGE,
    }
)

_DEFAULTS = RecognizeOptions()

_CROWDED = RegionFailure(InferenceFailed.reason, "the regions before it cover the page many times")


def crop_regions(
    page: RgbImage, regions: Sequence[Region], options: RecognizeOptions = _DEFAULTS
) -> tuple[tuple[Crop, ...], dict[int, RegionFailure]]:
    """The crops of a page's regions, in their order, and by id why there is none of the others.

    Args:
        page: uint8 of shape (height, width, 3), RGB, upright.
        regions: in reading order; each has its own id.
        options: go into each crop.
    """
    crops: list[Crop] = []
    failures: dict[int, RegionFailure] = {}
    room = _MOST_COVERS * page.size
    for region in regions:
        crop = crop_region(page, region, options) if room > 0 else _CROWDED
        if isinstance(crop, Crop):
            crops.append(crop)
            room -= crop.pixels.size
        else:
            failures[region.id] = crop
    return tuple(crops), failures


def crop_region(page: RgbImage, region: Region, options: RecognizeOptions) -> Crop | RegionFailure:
    """One region with a small margin, clipped to the page, white outside its polygon if it has one.

    A table that lies tilted is made level.
    """
    height, width = page.shape[:2]
    inside = region.box.clipped(width, height)
    if min(inside.width, inside.height) < SMALLEST_SIDE:
        size = f"{inside.width:.0f} x {inside.height:.0f}"
        message = (
            f"{size} pixels of it are on the page; it takes {SMALLEST_SIDE} x {SMALLEST_SIDE} to read it"
        )
        return RegionFailure(InvalidDocument.reason, message)
    if frame := _frame(page, region):
        lines = tuple(map(frame.line, region.lines))
        return Crop(region.id, region.kind, frame.pixels(page), lines, options=options)
    box = _crop_box(region, width, height)
    left, top = int(box.left), int(box.top)
    pixels = np.array(page[top : int(box.bottom), left : int(box.right)], order="C")
    if region.polygon and not _is_rectangle(region.polygon):
        pixels = _white_outside(pixels, shifted_points(region.polygon, -left, -top), _margin(region))
    lines = tuple(shifted_line(line, -left, -top) for line in region.lines)
    return Crop(region.id, region.kind, pixels, lines, options=options)


def placed_on_page(page: RgbImage, region: Region, text: RegionText) -> RegionText:
    """What was read in a region's crop, with places in pixels of the page that it was cut from."""
    height, width = page.shape[:2]
    box, frame = _crop_box(region, width, height), _frame(page, region)
    spotted = tuple(
        replace(
            line,
            polygon=tuple(map(frame.on_page, line.polygon))
            if frame
            else shifted_points(line.polygon, box.left, box.top),
        )
        for line in text.spotted
    )
    return replace(text, spotted=spotted)


def _frame(page: RgbImage, region: Region) -> TiltedFrame | None:
    frame = tilted_frame(region.polygon, MARGIN) if region.kind is RegionKind.TABLE else None
    height, width = page.shape[:2]
    return frame if frame and max(frame.width, frame.height) <= 2 * (width + height) else None


def _crop_box(region: Region, width: int, height: int) -> Box:
    return _whole_pixels(region.box.expanded(_margin(region)).clipped(width, height))


def _margin(region: Region) -> int:
    return 0 if region.kind in _NO_MARGIN else MARGIN


def _whole_pixels(box: Box) -> Box:
    return Box(floor(box.left), floor(box.top), ceil(box.right), ceil(box.bottom))


def _is_rectangle(polygon: Sequence[Point]) -> bool:
    """Whether a polygon is its own bounding box, outside of which there is nothing to paint."""
    return len(polygon) == 4 and len({x for x, _ in polygon}) == 2 and len({y for _, y in polygon}) == 2


def _white_outside(pixels: RgbImage, polygon: Sequence[Point], margin: int) -> RgbImage:
    mask = np.zeros(pixels.shape[:2], np.uint8)
    corners = np.round(np.array(polygon)).astype(np.int32)
    cv2.fillPoly(mask, [corners], (255,))
    cv2.polylines(mask, [corners], isClosed=True, color=(255,), thickness=2 * margin + 1)
    pixels[mask == 0] = 255
    return pixels
