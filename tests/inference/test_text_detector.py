"""The text detector: its geometry on drawn maps, and the real network on a drawn page."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.errors import ModelMissing
from arcscribe.inference.openvino import OpenVinoSettings
from arcscribe.inference.probability_map import clockwise, lines_from_map
from arcscribe.inference.text_detector import TextDetector, input_size
from arcscribe.types import RgbImage


def empty_map() -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
    return np.zeros((200, 400), np.float32)


def test_a_core_grows_to_its_line() -> None:
    values = empty_map()
    values[100:110, 50:250] = 0.9
    (line,) = lines_from_map(values, 400, 800)
    grown = 1.6 * 10 * 200 / (2 * 210)
    assert line.box.left == pytest.approx(2 * (50 - grown), abs=4)
    assert line.box.bottom == pytest.approx(2 * (110 + grown), abs=4)
    assert line.score > 0.8
    assert not line.vertical


def test_a_faint_core_is_no_line() -> None:
    values = empty_map()
    values[100:110, 50:250] = 0.4
    assert lines_from_map(values, 200, 400) == ()


def test_a_long_core_with_a_spur_is_a_line_of_its_own_height() -> None:
    values = empty_map()
    values[100:108, 50:350] = 0.95
    values[90:120, 200:203] = 0.6
    (line,) = lines_from_map(values, 200, 400)
    assert line.box.height < 30
    assert line.box.width > 300


def test_a_core_that_stands_upright_is_a_vertical_line() -> None:
    values = empty_map()
    values[20:180, 100:110] = 0.9
    (line,) = lines_from_map(values, 200, 400)
    assert line.vertical


@given(st.integers(-30, 30), st.integers(20, 150), st.integers(5, 40))
def test_corners_are_clockwise_from_the_top_left(angle: int, width: int, height: int) -> None:
    corners = cv2.boxPoints(((200.0, 200.0), (float(width) + height, float(height)), float(angle)))
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = clockwise(np.asarray(corners, np.float32)).tolist()
    assert x0 < x1
    assert x3 < x2
    assert y0 < y3
    assert y1 < y2


@given(st.floats(-40, 40), st.integers(150, 900))
def test_corners_of_a_tilted_column_are_clockwise_from_the_top_left(angle: float, length: int) -> None:
    corners = cv2.boxPoints(((500.0, 500.0), (40.0, float(length)), angle))
    first, second, third, fourth = clockwise(np.asarray(corners, np.float32))
    assert np.hypot(*(second - first)) == pytest.approx(40, abs=0.5)
    assert second[0] > first[0]
    assert fourth[1] > first[1]
    assert third[1] > second[1]


@given(st.integers(2, 20000), st.integers(2, 20000))
def test_an_input_is_never_larger_than_the_limit_and_fits_the_network(height: int, width: int) -> None:
    size = input_size(height, width)
    assert all(side % 32 == 0 and 32 <= side <= 2016 for side in size)


def page_of_text() -> RgbImage:
    page = np.full((600, 900, 3), 255, np.uint8)
    for i, words in enumerate(("The first line of a page", "and the second one", "and a third")):
        cv2.putText(page, words, (60, 120 + 120 * i), cv2.FONT_HERSHEY_SIMPLEX, 1.4, (0, 0, 0), 3)
    return page


@pytest.mark.parametrize(
    "file", ["pp-ocrv6-det/PP-OCRv6_det_small.onnx", "pp-ocrv6-tiny-det/det.onnx", "pp-ocrv5-det/det.onnx"]
)
def test_the_real_networks_find_each_line_once(model_root: Path, file: str) -> None:
    if not (model_root / file).is_file():
        pytest.skip(f"{file} is not in the store")
    lines = TextDetector(model_root / file, OpenVinoSettings()).detect(page_of_text())
    assert [round(line.box.center[1] / 120) for line in lines] == [1, 2, 3]
    assert all(line.box.left < 75 for line in lines)


def test_a_picture_of_one_pixel_has_no_lines(model_root: Path) -> None:
    detector = TextDetector(model_root / "pp-ocrv6-det" / "PP-OCRv6_det_small.onnx", OpenVinoSettings())
    assert detector.detect(np.zeros((1, 1, 3), np.uint8)) == ()


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        TextDetector(tmp_path / "none.onnx", OpenVinoSettings())
