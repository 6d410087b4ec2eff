"""The whole of post-processing, on any candidates with any settings."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box
from layout_stage.detection.detection_settings import DetectionSettings, PolygonShape
from layout_stage.detection.detections import Candidate
from layout_stage.detection.postprocess import postprocess
from tests.layout_stage.detection.values import PAGE, all_settings, many, plain, seen

ORDERED = DetectionSettings(whole_pixels=True, drop_overlapping=True)


@given(many, all_settings)
def test_all_that_is_found_lies_on_the_page(candidates: list[Candidate], settings: DetectionSettings) -> None:
    for detection in postprocess(candidates, PAGE, settings):
        box = detection.box
        assert box.area > 0
        for x, y in (*box.to_polygon(), *(detection.polygon or ())):
            assert math.isfinite(x)
            assert math.isfinite(y)
            assert 0 <= x <= PAGE.width
            assert 0 <= y <= PAGE.height


@given(st.lists(plain, max_size=10), all_settings, st.randoms())
def test_the_order_of_candidates_does_not_matter(
    candidates: list[Candidate], settings: DetectionSettings, random: Random
) -> None:
    shuffled = list(candidates)
    random.shuffle(shuffled)
    assert postprocess(shuffled, PAGE, settings) == postprocess(candidates, PAGE, settings)


@given(many, all_settings)
def test_nothing_is_found_that_was_not_seen(candidates: list[Candidate], settings: DetectionSettings) -> None:
    offered = [(c.label, c.score) for c in candidates]
    for detection in postprocess(candidates, PAGE, settings):
        offered.remove((detection.label, detection.score))


@given(many)
def test_whole_pixels_are_whole(candidates: list[Candidate]) -> None:
    for detection in postprocess(candidates, PAGE, ORDERED):
        assert all(side == int(side) for point in detection.box.to_polygon() for side in point)


def test_predicted_places_come_first_then_votes() -> None:
    rows = [(2.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 5.0)]
    candidates = [
        Candidate("text", 0.9, Box(0, 20 * i, 10, 20 * i + 10), order, votes)
        for i, (order, votes) in enumerate(rows)
    ]
    found = postprocess(candidates, PAGE, ORDERED)
    assert [d.box.top for d in found] == [20, 60, 40, 0]
    assert [d.order for d in found] == [0, 1, 2, 3]


def test_without_predicted_places_the_best_is_first_and_has_none() -> None:
    found = postprocess([seen("text", (0, 0, 9, 9), 0.6), seen("text", (0, 50, 9, 59), 0.8)], PAGE, ORDERED)
    assert [(d.score, d.order) for d in found] == [(0.8, None), (0.6, None)]


def test_no_candidates_are_no_detections() -> None:
    assert postprocess([], PAGE, ORDERED) == ()


@pytest.mark.parametrize("shape", PolygonShape)
def test_a_mask_that_fills_the_box_says_no_more_than_the_box(shape: PolygonShape) -> None:
    candidate = seen("text", (40, 60, 120, 180), mask=np.ones((75, 50), np.int32))
    (found,) = postprocess([candidate], PAGE, DetectionSettings(shape=shape, whole_pixels=True))
    assert found.box == Box(40, 60, 120, 180)
    corners = np.array(found.polygon or found.box.to_polygon())
    # A mask's last pixel lies within the box, and its side on the pixel.
    assert np.abs(np.sort(corners, axis=0) - np.sort(found.box.to_polygon(), axis=0)).max() <= 1


def test_a_slanted_mask_is_a_slanted_quad() -> None:
    rows, columns = np.mgrid[0:75, 0:50]
    band = np.abs((rows - 30) - (columns - 20) * 0.5) < 6
    candidate = seen("text", (40, 60, 120, 180), mask=band)
    (found,) = postprocess([candidate], PAGE, DetectionSettings(shape=PolygonShape.QUAD, whole_pixels=True))
    assert found.polygon is not None
    (ax, ay), (bx, by), *_ = found.polygon
    assert (by - ay) / (bx - ax) == pytest.approx(0.5, abs=0.06)


def test_an_empty_mask_leaves_the_box() -> None:
    candidate = seen("text", (40, 60, 120, 180), mask=np.zeros((75, 50), np.int32))
    (found,) = postprocess([candidate], PAGE, DetectionSettings(whole_pixels=True))
    assert found.polygon is None


def test_an_absurd_box_takes_no_memory_for_its_mask() -> None:
    candidate = seen("text", (-1e9, -1e9, 1e9, 1e9), mask=np.ones((75, 50), np.int32))
    (found,) = postprocess([candidate], PAGE, DetectionSettings(whole_pixels=True))
    assert found.box == Box(0, 0, PAGE.width, PAGE.height)
