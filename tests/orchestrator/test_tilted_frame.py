"""Tilted rectangles cut out level."""

import math

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box, Point, RecognizeOptions, Region, RegionKind, TextLine
from orchestrator.crops import crop_region
from orchestrator.tilted_frame import tilted_frame

SIZE = (300, 200)


def rectangle(angle: float, left: float = 200, top: float = 150) -> tuple[Point, ...]:
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    corners = ((0, 0), (SIZE[0], 0), SIZE, (0, SIZE[1]))
    return tuple((left + cosine * x - sine * y, top + sine * x + cosine * y) for x, y in corners)


@given(st.one_of(st.floats(1.5, 14), st.floats(-14, -1.5)), st.floats(-50, 400), st.floats(-50, 300))
def test_a_line_moved_into_the_frame_is_moved_back_to_where_it_was(angle: float, x: float, y: float) -> None:
    frame = tilted_frame(rectangle(angle), 4)
    assert frame is not None
    assert (frame.width, frame.height) == pytest.approx((SIZE[0] + 8, SIZE[1] + 8), abs=1.1)
    inside = frame.line(TextLine(Box(x, y, x, y), ((x, y),) * 4, 1.0))
    assert frame.on_page(inside.polygon[0]) == pytest.approx((x, y), abs=1e-6)


@pytest.mark.parametrize(
    "polygon", [(), rectangle(0), rectangle(0.5), rectangle(30), ((0, 0), (90, 9), (99, 99), (20, 99))]
)
def test_what_is_level_steep_or_no_rectangle_has_no_frame(polygon: tuple[Point, ...]) -> None:
    assert tilted_frame(polygon, 4) is None


def test_a_tilted_table_is_cut_out_level() -> None:
    page, corners = np.full((500, 700, 3), 255, np.uint8), rectangle(4)
    cv2.fillPoly(page, [np.round(np.array(corners)).astype(np.int32)], (0, 0, 0))
    box = Box(*np.min(corners, axis=0), *np.max(corners, axis=0))
    table = Region(1, RegionKind.TABLE, "table", 0.9, box, corners)
    crop = crop_region(page, table, RecognizeOptions())
    dark = getattr(crop, "pixels")[..., 0] < 128  # noqa: B009  # a crop, or the assertion fails
    assert dark[8:-8, 8:-8].all()
    assert not dark[:2].any()
    assert not dark[:, :2].any()
