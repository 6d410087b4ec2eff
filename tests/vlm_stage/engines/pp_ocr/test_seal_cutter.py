"""Seals cut into the images of what they say, without networks."""

from itertools import pairwise

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box, Crop, RegionKind, RgbImage, TextLine
from tests.vlm_stage.builders import text_line
from vlm_stage.engines.pp_ocr.seal_band import STRIP_DIAMETER
from vlm_stage.engines.pp_ocr.seal_cutter import arc_boxes, cut_seal

RED = (205, 40, 45)
HIGH = 0.12 * STRIP_DIAMETER
TOP = 0.06 * STRIP_DIAMETER


def arc_line(left: float, right: float, top: float = TOP, height: float = HIGH) -> TextLine:
    return text_line(left, top, right, top + height)


def stamped(size: int = 330, turn: float = 0.0) -> RgbImage:
    """A ring with blocks for letters over 240 degrees, a bar in its middle and a solid disc above that."""
    seal = np.full((size, size, 3), 255, np.uint8)
    middle = size / 2
    thin = max(2, round(0.01 * size))
    cv2.circle(seal, (round(middle), round(middle)), round(0.485 * size), RED, round(0.025 * size))
    for angle in range(-120, 121, 20):
        radians = np.radians(angle)
        x, y = middle + 0.385 * size * np.sin(radians), middle - 0.385 * size * np.cos(radians)
        cv2.circle(seal, (round(x), round(y)), round(0.045 * size), RED, thin)
    cv2.circle(seal, (round(middle), round(middle)), round(0.06 * size), RED, -1)
    low, high = round(0.3 * size), round(0.7 * size)
    for left in range(low, high, 4 * thin):
        cv2.line(seal, (left, round(0.7 * size)), (left, round(0.76 * size)), RED, thin)
    matrix = cv2.getRotationMatrix2D((middle, middle), -turn, 1)
    return np.asarray(cv2.warpAffine(seal, matrix, (size, size), borderValue=(255, 255, 255)), np.uint8)


def ink_box(image: RgbImage) -> tuple[TextLine, ...]:
    """In place of a detector: one line round all ink that is no ring."""
    inked = image[:, :, 0] < 128
    if image.shape[1] > 2 * image.shape[0]:  # the strip: above its letters is the ring, below them the bar
        inked[: round(0.05 * STRIP_DIAMETER)] = False
        inked[round(0.2 * STRIP_DIAMETER) :] = False
    y, x = np.nonzero(inked)
    if not x.size:
        return ()
    left, top, right, bottom = (float(edge) for edge in (x.min(), y.min(), x.max(), y.max()))
    return (text_line(left - 3, top - 3, right + 3, bottom + 3),)


def crop(pixels: RgbImage) -> Crop:
    return Crop(0, RegionKind.SEAL, pixels)


def test_pieces_of_a_name_are_one_line() -> None:
    (whole,) = arc_boxes([arc_line(100, 300), arc_line(360, 500), arc_line(510, 650, TOP + 4)])
    assert (whole.left, whole.right) == (100, 650)


def test_a_name_and_a_number_along_the_ring_are_two_lines_the_name_first() -> None:
    boxes = arc_boxes([arc_line(20, 150, 15, 18), arc_line(170, 700)])
    assert [box.left for box in boxes] == [170, 20]


def test_heads_of_lines_across_the_seal_are_no_lines_along_the_ring() -> None:
    assert arc_boxes([text_line(0, 35, 90, 98), text_line(660, 36, 764, 99)]) == []


def test_what_stands_across_the_band_is_none() -> None:
    assert arc_boxes([text_line(100, 10, 130, 70), text_line(200, 10, 204, 14)]) == []


@given(st.lists(st.tuples(st.integers(0, 600), st.integers(45, 200)), max_size=6))
def test_no_line_is_lost_and_none_overlap(places: list[tuple[int, int]]) -> None:
    lines = [arc_line(left, left + width) for left, width in places]
    boxes = arc_boxes(lines)
    assert all(any(line.box.coverage_by(box) > 0.99 for box in boxes) for line in lines)
    in_row = sorted(boxes, key=lambda box: box.left)
    assert all(a.right <= b.left for a, b in pairwise(in_row))


@pytest.mark.parametrize("turn", [0, 40, 180, -75])
@pytest.mark.parametrize("size", [200, 330, 1000])
def test_the_name_comes_first_and_the_line_across_is_level_however_the_seal_is_turned(
    turn: int, size: int
) -> None:
    name, across = cut_seal(crop(stamped(size, turn)), ink_box)
    assert len(name.images) == 2
    assert all(image.shape[0] == 48 for image in (*name.images, *across.images))
    assert name.images[0].shape[1] > 8 * 48
    (level,) = across.images
    assert level.shape[1] > 2.5 * 48
    assert across.line.box.coverage_by(Box(0, 0, size, size)) == 1
    assert name.line.box.width > 0.6 * size


def test_a_solid_emblem_is_left_out() -> None:
    shown: list[RgbImage] = []

    def detect(image: RgbImage) -> tuple[TextLine, ...]:
        shown.append(image)
        return ink_box(image)

    cut_seal(crop(stamped()), detect)
    middle = shown[1].shape[0] // 2
    assert shown[1][middle - 15 : middle + 15, middle - 15 : middle + 15].min() > 200


def test_the_picture_upside_down_is_the_second_one() -> None:
    name, _ = cut_seal(crop(stamped()), ink_box)
    upright, turned = name.images
    difference = np.abs(turned.astype(int) - upright[::-1, ::-1])
    assert difference.mean() < 0.1 * np.abs(turned.astype(int) - upright).mean()


@pytest.mark.parametrize("size", [(1, 1), (3, 200), (60, 60)])
def test_a_picture_without_a_ring_gives_nothing(size: tuple[int, int]) -> None:
    blank = np.full((*size, 3), 255, np.uint8)
    assert cut_seal(crop(blank), ink_box) == ()


def test_a_square_seal_gives_nothing() -> None:
    seal = np.full((200, 200, 3), 255, np.uint8)
    cv2.rectangle(seal, (3, 3), (196, 196), RED, 6)
    cv2.putText(seal, "AB", (50, 120), cv2.FONT_HERSHEY_SIMPLEX, 2, RED, 5)
    assert cut_seal(crop(seal), ink_box) == ()
