"""The layout network's maps read as boxes."""

import numpy as np

from arcscribe.types import Box
from layout_stage.cdla_boxes import LABELS, LayoutBox, decode_layout, without_duplicates

POINTS = (7600, 1900, 475, 130)


def test_a_point_with_a_score_gives_a_box_at_its_distances() -> None:
    scores = [np.zeros((n, 10), np.float32) for n in POINTS]
    distances = [np.full((n, 4, 8), -20, np.float32) for n in POINTS]
    row, column = 5, 4
    scores[2][row * 19 + column, LABELS.index("table")] = 0.9
    for side, strides in enumerate((2, 1, 3, 2)):
        distances[2][row * 19 + column, side, strides] = 20
    (found,) = decode_layout(scores, [d.reshape(-1, 32) for d in distances], (1600, 1216), 0.5)
    x, y = (column + 0.5) * 32, (row + 0.5) * 32
    assert found.label == "table"
    assert np.allclose(
        [found.box.left, found.box.top, found.box.right, found.box.bottom],
        [2 * (x - 64), 2 * (y - 32), 2 * (x + 96), 2 * (y + 64)],
        atol=0.1,
    )


def test_scores_below_the_threshold_give_nothing() -> None:
    scores = [np.full((n, 10), 0.2, np.float32) for n in POINTS]
    distances = [np.zeros((n, 32), np.float32) for n in POINTS]
    assert decode_layout(scores, distances, (100, 100), 0.3) == ()


def test_of_two_boxes_in_one_place_the_better_stays() -> None:
    better, worse = LayoutBox("text", 0.9, Box(0, 0, 100, 100)), LayoutBox("text", 0.5, Box(5, 5, 105, 100))
    apart = LayoutBox("text", 0.4, Box(200, 0, 300, 100))
    assert without_duplicates([worse, apart, better]) == [better, apart]
