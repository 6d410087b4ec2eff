"""Seals and the text below them told apart by colour."""

import cv2
import numpy as np

from arcscribe.types import RgbImage
from tests.vlm_stage.builders import text_line
from vlm_stage.engines.pp_ocr.seal_ink import lift_seal, lift_seals, seal_ink

RED, BLACK = (205, 40, 45), (20, 20, 20)


def paper(height: int, width: int) -> RgbImage:
    return np.full((height, width, 3), 245, np.uint8)


def write(page: RgbImage, text: str, left: int, baseline: int, color: tuple[int, int, int]) -> None:
    cv2.putText(page, text, (left, baseline), cv2.FONT_HERSHEY_SIMPLEX, 1.0, color, 2, cv2.LINE_AA)


def sealed_line() -> RgbImage:
    """A line of black text that a red ring goes through from top to bottom."""
    line = paper(48, 210)
    cv2.circle(line, (120, 150), 140, RED, 8)
    write(line, "Signed by A.P.", 10, 36, BLACK)
    return line


def test_the_ink_of_a_seal_is_dark_and_the_text_below_is_not_in_it() -> None:
    page = paper(200, 200)
    write(page, "black", 60, 110, BLACK)
    cv2.circle(page, (100, 100), 90, RED, 6)
    ink = seal_ink(page)
    assert ink[100, 8:13].max() < 60
    assert ink[85:115, 60:140].min() > 200


def test_a_seal_keeps_its_fine_strokes_where_colour_is_blurred() -> None:
    page = paper(200, 200)
    for x in range(20, 180, 4):
        cv2.line(page, (x, 20), (x, 180), RED, 2)
    _, data = cv2.imencode(".jpg", page[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 60])
    blurred = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)[:, :, ::-1]
    ink = seal_ink(np.ascontiguousarray(blurred))[100, 40:160].astype(int)
    assert np.abs(np.diff(ink)).mean() > 70


def test_a_seal_without_colour_is_told_from_blacker_text() -> None:
    page = paper(200, 200)
    cv2.circle(page, (100, 100), 96, (130, 130, 130), 6)
    write(page, "black", 60, 110, BLACK)
    ink = seal_ink(page)
    assert ink[100, 3:6].max() < 60
    assert (ink[85:115, 60:140] < 128).mean() < 0.05


def test_a_white_picture_has_no_ink() -> None:
    assert seal_ink(paper(60, 60)).min() > 200


def test_a_ring_over_black_text_is_lifted_and_the_text_stays() -> None:
    line = sealed_line()
    lifted = lift_seal(line)
    ring_alone = (line[:, :, 0] > 190) & (line[:, :, 1] < 60)
    assert ring_alone.sum() > 200
    assert lifted[ring_alone].min() > 200
    assert lifted[line[:, :, 0] < 40].max() < 80


def test_a_line_with_red_words_keeps_them() -> None:
    line = paper(48, 300)
    write(line, "Price", 10, 36, BLACK)
    write(line, "99", 150, 36, RED)
    assert lift_seal(line) is line


def test_red_words_over_a_black_rule_are_kept() -> None:
    line = paper(48, 300)
    write(line, "PAID 99", 10, 36, RED)
    cv2.line(line, (0, 44), (300, 44), BLACK, 3)
    assert lift_seal(line) is line


def test_a_line_without_red_is_left_alone() -> None:
    line = paper(48, 300)
    write(line, "Signed", 10, 36, BLACK)
    assert lift_seal(line) is line


def test_a_table_loses_its_seal_and_keeps_red_figures() -> None:
    table = paper(200, 400)
    cv2.line(table, (0, 100), (399, 100), BLACK, 3)
    write(table, "-99.50", 20, 60, RED)
    cv2.circle(table, (300, 120), 70, RED, 6)
    lifted = lift_seals(table, [text_line(15, 30, 140, 70)])
    assert np.array_equal(lifted[30:71, 15:141], table[30:71, 15:141])
    assert lifted[120, 226:234].min() > 200
    assert lifted[100, 300].max() < 60


def test_a_table_without_red_is_left_alone() -> None:
    table = paper(100, 100)
    write(table, "12", 10, 50, BLACK)
    assert lift_seals(table, [text_line(5, 10, 90, 60)]) is table
