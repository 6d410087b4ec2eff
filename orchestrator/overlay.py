"""A page with its regions drawn on it: box, kind, and place in the reading order."""

from collections.abc import Sequence

import cv2
import numpy as np

from arcscribe.types import Region, RegionKind, RgbImage

JPEG_QUALITY = 85
LONGEST_SIDE = 1600
"""Larger pages are drawn smaller: an overlay is looked at, not measured."""

_TEXT = (31, 119, 180)
_MARGIN = (127, 127, 127)
_COLORS = {
    RegionKind.DOC_TITLE: (214, 39, 40),
    RegionKind.PARAGRAPH_TITLE: (255, 127, 14),
    RegionKind.TABLE: (44, 160, 44),
    RegionKind.IMAGE: (148, 103, 189),
    RegionKind.CHART: (148, 103, 189),
    RegionKind.SEAL: (227, 119, 194),
    RegionKind.FORMULA: (23, 190, 207),
    RegionKind.HEADER: _MARGIN,
    RegionKind.FOOTER: _MARGIN,
    RegionKind.NUMBER: _MARGIN,
    RegionKind.FOOTNOTE: (140, 86, 75),
}
"""RGB, the well-known ten colours that stay apart in print and for most colour-blind readers."""


def draw_overlay(page: RgbImage, regions: Sequence[Region]) -> bytes:
    """A JPEG file of the page with its regions.

    Args:
        page: uint8 of shape (height, width, 3), RGB, upright.
        regions: in reading order.
    """
    scale = min(1.0, LONGEST_SIDE / max(page.shape[:2]))
    canvas = np.asarray(cv2.cvtColor(_scaled(page, scale), cv2.COLOR_RGB2BGR), np.uint8)
    for order, region in enumerate(regions, start=1):
        _draw(canvas, region, order, scale)
    encoded, data = cv2.imencode(".jpg", canvas, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    assert encoded
    return bytes(data)


def _scaled(page: RgbImage, scale: float) -> RgbImage:
    if scale == 1.0:
        return page
    return np.asarray(cv2.resize(page, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def _draw(canvas: RgbImage, region: Region, order: int, scale: float) -> None:
    red, green, blue = _COLORS.get(region.kind, _TEXT)
    color = (blue, green, red)
    left, top = round(region.box.left * scale), round(region.box.top * scale)
    right, bottom = round(region.box.right * scale), round(region.box.bottom * scale)
    cv2.rectangle(canvas, (left, top), (right, bottom), color, 2)
    label = f"{order} {region.kind}"
    (width, height), _ = cv2.getTextSize(label, cv2.FONT_HERSHEY_SIMPLEX, 0.5, 1)
    base = max(height + 4, top)
    cv2.rectangle(canvas, (left, base - height - 4), (left + width + 4, base), color, cv2.FILLED)
    cv2.putText(canvas, label, (left + 2, base - 3), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1)
