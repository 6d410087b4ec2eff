from typing import Any

import numpy as np
import pytest

from layout_stage.detection import polygons as module
from layout_stage.detection.detection_settings import PolygonShape
from layout_stage.detection.detections import Candidate, Mask, Points
from layout_stage.detection.polygons import polygons
from tests.layout_stage.detection.values import PAGE, seen

FULL = np.ones((PAGE.height, PAGE.width), bool)


def band(left: int, slope: float) -> Mask:
    """A band that falls from the left to the right within 100 pixels."""
    rows, columns = np.mgrid[0 : PAGE.height, 0 : PAGE.width]
    return np.asarray(np.abs(rows - 50 - (columns - left - 50) * slope) < 15)


def shapes(*candidates: Candidate, shape: PolygonShape = PolygonShape.AUTO) -> list[Points]:
    found = polygons(candidates, PAGE, shape)
    return [outline.points for outline in found if outline is not None]


@pytest.mark.parametrize(("left", "simple"), [(100, True), (95, False)])
def test_a_band_is_a_quad_unless_it_is_close_to_what_is_read_before(left: int, simple: bool) -> None:
    before = seen("text", (0, 0, 100, 100), mask=FULL)
    tilted = seen("text", (left, 0, left + 100, 100), mask=band(left, 0.3))
    _, found = shapes(before, tilted)
    _, quad = shapes(before, tilted, shape=PolygonShape.QUAD)
    assert np.array_equal(found, quad) is simple


def test_a_full_mask_is_its_box() -> None:
    (found,) = polygons([seen("text", (10, 10, 90, 90), mask=FULL)], PAGE, PolygonShape.AUTO)
    assert found is not None
    assert found.is_box


def test_candidates_without_masks_have_no_outlines() -> None:
    assert polygons([seen("text", (10, 10, 90, 90))], PAGE, PolygonShape.POLY) == [None]


def test_no_outline_is_drawn_where_none_is_asked_for() -> None:
    assert polygons([seen("text", (10, 10, 90, 90), mask=FULL)], PAGE, PolygonShape.RECT) == [None]


def test_long_is_what_is_long_for_a_wide_box_itself_and_for_others_the_widest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[float] = []

    def remembered(mask: Mask, box: Any, size: Any, longest: float) -> None:
        told.append(longest)

    monkeypatch.setattr(module, "outline", remembered)
    wide, middling, narrow = ((0.0, 20.0, w, 90.0) for w in (120.0, 61.0, 59.0))
    polygons([seen("text", box, mask=FULL) for box in (wide, middling, narrow)], PAGE, PolygonShape.POLY)
    assert told == [120, 61, 100]  # 100: 120 less the top, which paddlex takes for the left side
