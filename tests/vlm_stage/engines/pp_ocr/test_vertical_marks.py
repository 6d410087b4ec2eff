import cv2
import numpy as np

from vlm_stage.engines.pp_ocr.vertical_marks import settle_marks


def _column() -> np.ndarray:
    column = np.full((200, 40, 3), 255, np.uint8)
    cv2.rectangle(column, (5, 5), (35, 35), (0, 0, 0), 2)
    return column


def test_a_mark_in_the_top_right_of_its_square_moves_to_the_left() -> None:
    column = _column()
    cv2.circle(column, (30, 50), 4, (0, 0, 0), 2)
    settled = settle_marks(column)
    assert (settled[44:58, 20:] == 255).all()
    assert (settled[44:58, :20] == 0).any()
    assert (settled[:40] == column[:40]).all()


def test_characters_and_marks_on_the_left_or_in_the_middle_stay() -> None:
    column = _column()
    cv2.circle(column, (20, 50), 3, (0, 0, 0), -1)
    cv2.circle(column, (8, 90), 3, (0, 0, 0), -1)
    cv2.rectangle(column, (12, 120), (36, 150), (0, 0, 0), 2)
    assert (settle_marks(column) == column).all()


def test_an_empty_column_stays_as_it_is() -> None:
    blank = np.full((100, 20, 3), 255, np.uint8)
    assert (settle_marks(blank) == blank).all()
