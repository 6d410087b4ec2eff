"""Seals by their colour, and on grey scans by ink that is lighter than the text's."""

import cv2
import numpy as np
import pytest

from arcscribe.types import Box, RgbImage
from layout_stage.seals import find_seals, lift_seals, stamped_lines, unlike
from tests.layout_stage.pages import line

RED, BLACK = (205, 40, 45), (20, 20, 20)


def sealed_page() -> RgbImage:
    page = np.full((1200, 900, 3), 255, np.uint8)
    cv2.putText(page, "Signed by A. Person", (300, 800), cv2.FONT_HERSHEY_SIMPLEX, 1, BLACK, 2)
    cv2.circle(page, (450, 800), 100, RED, 6)
    cv2.putText(page, "SEAL", (415, 860), cv2.FONT_HERSHEY_SIMPLEX, 0.9, RED, 2)
    return page


def test_a_line_that_is_found_twice_is_told_by_its_place() -> None:
    there, elsewhere = line(100, 100, 200), line(100, 200, 200)
    assert unlike([there, elsewhere], [line(103, 98, 199)]) == [elsewhere]
    assert unlike([there], []) == [there]


def test_a_red_ring_is_a_seal() -> None:
    (seal,) = find_seals(sealed_page())
    assert seal.iou(Box(347, 697, 553, 903)) > 0.9


@pytest.mark.parametrize("turn", [0, 20, 45, 70, 90])
def test_a_red_oval_is_a_seal_at_any_turn(turn: int) -> None:
    page = np.full((1200, 900, 3), 255, np.uint8)
    cv2.ellipse(page, (450, 800), (120, 90), turn, 0, 360, RED, 6)
    (seal,) = find_seals(page)
    assert seal.center == pytest.approx((450, 800), abs=4)


def grey_scan(page: RgbImage) -> RgbImage:
    return np.asarray(cv2.cvtColor(cv2.cvtColor(page, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB), np.uint8)


def test_a_seal_of_lighter_ink_is_found_and_lifted_on_a_grey_scan() -> None:
    page = sealed_page()
    page[(page[:, :, 0] > 150) & (page[:, :, 1] < 100)] = (225, 110, 115)  # ink as thin as stamps have it
    scan = grey_scan(page)
    seals = find_seals(scan)
    assert len(seals) == 1
    assert seals[0].iou(Box(347, 697, 553, 903)) > 0.9
    lifted = lift_seals(scan, seals)
    assert lifted[800, 347:353].min() > 200
    assert lifted[770:805, 360:540].min() < 60
    name, stamp = line(380, 775, 150, 35), line(412, 835, 75, 30)
    assert stamped_lines(scan, seals[0], [name, stamp]) == [stamp]


def test_red_words_and_red_bars_are_none() -> None:
    page = np.full((1200, 900, 3), 255, np.uint8)
    cv2.putText(page, "PAID", (300, 300), cv2.FONT_HERSHEY_SIMPLEX, 4, RED, 12)
    cv2.rectangle(page, (100, 500), (800, 560), RED, -1)
    cv2.rectangle(page, (100, 700), (300, 900), RED, -1)
    assert find_seals(page) == ()


def test_a_black_ring_is_none() -> None:
    page = np.full((1200, 900, 3), 255, np.uint8)
    cv2.circle(page, (450, 800), 100, BLACK, 6)
    assert find_seals(page) == ()


def test_a_long_ellipse_and_a_ring_with_rays_are_none() -> None:
    page = np.full((1200, 900, 3), 255, np.uint8)
    cv2.ellipse(page, (450, 300), (300, 100), 0, 0, 360, RED, 6)
    for angle in range(0, 360, 15):
        end = 450 + 190 * np.cos(np.radians(angle)), 800 + 190 * np.sin(np.radians(angle))
        cv2.line(page, (450, 800), (round(end[0]), round(end[1])), RED, 4)
    for corner in ((265, 615), (635, 615), (265, 985), (635, 985)):
        cv2.line(page, (450, 800), corner, RED, 8)
    cv2.circle(page, (450, 800), 180, RED, 6)
    assert find_seals(page) == ()


def test_lifting_a_seal_leaves_the_black_text() -> None:
    page = sealed_page()
    lifted = lift_seals(page, find_seals(page))
    assert lifted[705:895, 360:540].min() < 60
    ring = lifted[800, 347:353]
    assert ring.min() > 150


def test_only_red_lines_belong_to_a_seal() -> None:
    page = sealed_page()
    (seal,) = find_seals(page)
    name, stamp = line(380, 775, 150, 35), line(412, 835, 75, 30)
    assert stamped_lines(page, seal, [name, stamp]) == [stamp]


def test_lifting_a_dark_seal_leaves_white_paper_where_colour_is_blurred() -> None:
    page = np.full((1200, 900, 3), 245, np.uint8)
    cv2.circle(page, (450, 800), 100, (190, 20, 25), 8, cv2.LINE_AA)
    _, data = cv2.imencode(".jpg", page[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 60])
    scan = np.ascontiguousarray(np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)[:, :, ::-1])
    seals = find_seals(scan)
    assert len(seals) == 1
    assert scan[:, :, 0].min() < 140
    assert lift_seals(scan, seals).min() > 160


def test_black_text_under_a_broad_red_stroke_is_not_the_seals() -> None:
    page = np.full((1200, 900, 3), 255, np.uint8)
    cv2.circle(page, (450, 800), 150, RED, 8)
    cv2.rectangle(page, (380, 740), (520, 772), RED, -1)
    cv2.putText(page, "HG-M320", (385, 768), cv2.FONT_HERSHEY_SIMPLEX, 0.9, BLACK, 2)
    cv2.putText(page, "SEAL", (415, 860), cv2.FONT_HERSHEY_SIMPLEX, 0.9, RED, 2)
    (seal,) = find_seals(page)
    below, own = line(382, 738, 138, 36), line(412, 835, 75, 30)
    assert stamped_lines(page, seal, [below, own]) == [own]
