"""The band inside a seal's ring as a straight strip."""

import math

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box
from vlm_stage.engines.pp_ocr.seal_band import OUTER, STRIP_DIAMETER, unroll, widest_gap
from vlm_stage.engines.pp_ocr.seal_ink import GreyImage
from vlm_stage.engines.pp_ocr.seal_ring import Ring

CIRCLE = Ring((200, 200), (360, 360), 0)


def place(degrees: float, depth: float) -> tuple[float, float]:
    """The point of the circle's picture at degrees clockwise from the top, and at a depth."""
    radius = 360 * (0.5 - depth)
    return 200 + radius * math.sin(math.radians(degrees)), 200 - radius * math.cos(math.radians(degrees))


def dotted(*degrees: float, depth: float = 0.11) -> GreyImage:
    ink = np.full((400, 400), 255, np.uint8)
    for angle in degrees:
        x, y = place(angle, depth)
        cv2.circle(ink, (round(x), round(y)), 8, (0,), -1)
    return ink


@given(st.floats(0, 359), st.floats(20, 340), st.floats(0.03, 0.25))
def test_a_dot_comes_where_its_angle_and_depth_say(start: float, further: float, depth: float) -> None:
    strip = unroll(CIRCLE, start).straighten(dotted(start + further, depth=depth))
    y, x = np.nonzero(strip[:, :, 0] < 128)
    assert x.mean() / strip.shape[1] * 360 == pytest.approx(further, abs=1.5)
    assert y.mean() / STRIP_DIAMETER + OUTER == pytest.approx(depth, abs=0.012)


def test_an_oval_keeps_the_distance_from_its_ring() -> None:
    ring = Ring((200, 150), (360, 270), 0)
    ink = np.full((300, 400), 255, np.uint8)
    cv2.ellipse(ink, (ring.center, ring.axes, ring.angle), (0,), -1)
    strip = unroll(ring, 180).straighten(ink)[:, :, 0]
    edge = (strip < 128).argmax(axis=0)
    assert np.ptp(edge) <= 3


def test_the_outline_of_a_box_lies_on_the_arc() -> None:
    band = unroll(CIRCLE, 180)
    width = band.x.shape[1]
    top, bottom = ((depth - OUTER) * STRIP_DIAMETER for depth in (0.05, 0.15))
    outline = np.array(band.outline(Box(width / 4, top, width / 2, bottom)))
    depths = 0.5 - np.hypot(*(outline - 200).T) / 360
    assert depths.min() == pytest.approx(0.05, abs=0.01)
    assert depths.max() == pytest.approx(0.15, abs=0.01)
    assert outline[:, 0].max() <= 202
    assert outline[:, 1].max() <= 202


def test_the_middle_of_a_box_has_a_direction() -> None:
    band = unroll(CIRCLE, 180)
    width = band.x.shape[1]
    assert band.direction(Box(0, 0, width, 10)) == pytest.approx(0)
    assert band.direction(Box(0, 0, width / 2, 10)) == pytest.approx(270)


def test_the_widest_gap_is_between_the_ends_of_the_name() -> None:
    assert widest_gap(dotted(*range(-120, 121, 20)), CIRCLE) == pytest.approx(180, abs=3)
    assert widest_gap(dotted(*range(-60, 181, 20)), CIRCLE) == pytest.approx(240, abs=3)
    assert widest_gap(dotted(*range(60, 301, 20)), CIRCLE) == pytest.approx(0, abs=3)


def test_a_ring_without_gaps_or_letters_is_cut_at_its_foot() -> None:
    assert widest_gap(dotted(), CIRCLE) == 180
    assert widest_gap(np.zeros((400, 400), np.uint8), CIRCLE) == 180
