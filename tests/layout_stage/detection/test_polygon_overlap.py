import numpy as np
import pytest

from layout_stage.detection.polygon_overlap import polygon_iou, shared_by_smaller

SQUARE = np.array([(0, 0), (10, 0), (10, 10), (0, 10)], float)


def test_a_square_and_its_half_share_the_half() -> None:
    triangle = SQUARE[:3]
    assert polygon_iou(SQUARE, triangle) == pytest.approx(0.5)
    assert shared_by_smaller(SQUARE, triangle) == pytest.approx(1)


def test_polygons_apart_share_nothing() -> None:
    assert polygon_iou(SQUARE, SQUARE + 20) == 0
    assert shared_by_smaller(SQUARE, SQUARE + 20) == 0


def test_a_line_has_nothing_to_share() -> None:
    line = np.array([(0, 0), (10, 10), (5, 5), (0, 0)], float)
    assert polygon_iou(line, line) == 0
    assert shared_by_smaller(SQUARE, line) == 0


def test_an_outline_that_crosses_itself_has_the_area_of_its_parts() -> None:
    bow_tie = SQUARE[[0, 2, 1, 3]]
    assert shared_by_smaller(SQUARE, bow_tie) == pytest.approx(1)
