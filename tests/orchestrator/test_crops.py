from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import (
    Box,
    Crop,
    FinishReason,
    RecognizeOptions,
    Region,
    RegionFailure,
    RegionKind,
    RegionText,
    RgbImage,
    SpottedText,
    TextFormat,
    TextLine,
)
from orchestrator.crops import MARGIN, SMALLEST_SIDE, crop_region, crop_regions, placed_on_page


def page(width: int = 100, height: int = 80) -> RgbImage:
    """Grey, with its coordinates in the red and green channels."""
    pixels = np.full((height, width, 3), 128, np.uint8)
    pixels[..., 0] = np.arange(width)
    pixels[..., 1] = np.arange(height)[:, None]
    return pixels


def region(box: Box, kind: RegionKind = RegionKind.TEXT, **more: object) -> Region:
    return Region(1, kind, "text", 0.9, box, **more)  # type: ignore[arg-type]  # what each test adds


def cut(pixels: RgbImage, found: Region) -> Crop:
    crop = crop_region(pixels, found, RecognizeOptions())
    assert isinstance(crop, Crop), crop
    return crop


def test_text_gets_a_margin_and_a_picture_none() -> None:
    box = Box(20, 30, 50, 60)
    assert cut(page(), region(box)).pixels.shape == (30 + 2 * MARGIN, 30 + 2 * MARGIN, 3)
    assert cut(page(), region(box, RegionKind.IMAGE)).pixels.shape == (30, 30, 3)


def test_regions_that_cover_their_page_many_times_take_no_memory_without_end() -> None:
    whole = [replace(region(Box(0, 0, 100, 80)), id=number) for number in range(100)]
    crops, failures = crop_regions(page(), whole)
    assert len(crops) == 16
    assert {failure.reason for failure in failures.values()} == {"INFERENCE_FAILED"}
    assert len(failures) == 84


def test_a_tilted_table_that_is_said_to_be_larger_than_its_page_is_cut_as_it_stands() -> None:
    corners = ((0.0, 0.0), (9e5, 9e4), (8.1e5, 9.9e5), (-9e4, 9e5))
    crop = cut(page(), region(Box(0, 0, 100, 80), RegionKind.TABLE, polygon=corners))
    assert crop.pixels.shape == (80, 100, 3)


def test_the_margin_ends_at_the_edge_of_the_page() -> None:
    crop = cut(page(), region(Box(0, 0, 100, 80)))
    assert np.array_equal(crop.pixels, page())


def test_lines_move_into_the_coordinates_of_the_crop() -> None:
    line = TextLine(Box(20, 30, 50, 40), Box(20, 30, 50, 40).to_polygon(), 0.8)
    crop = cut(page(), region(Box(20, 30, 50, 60), lines=(line,)))
    (moved,) = crop.lines
    left, top = round(moved.box.left), round(moved.box.top)
    assert tuple(crop.pixels[top, left, :2]) == (20, 30)
    assert moved.polygon == moved.box.to_polygon()
    assert moved.score == line.score


@given(st.floats(0, 90), st.floats(0, 70), st.sampled_from([RegionKind.TEXT, RegionKind.SEAL]))
def test_places_in_a_crop_are_moved_to_where_it_was_cut_out(
    left: float, top: float, kind: RegionKind
) -> None:
    found = region(Box(left, top, left + 10, top + 10), kind)
    crop = cut(page(), found)
    height, width = crop.pixels.shape[:2]
    spotted = SpottedText("a", Box(1, 2, width - 1, height - 1).to_polygon())
    text = RegionText("a", TextFormat.PLAIN, FinishReason.STOP, "e", "m", 1.0, spotted=(spotted,))
    (moved,) = placed_on_page(page(), found, text).spotted
    for (x, y), (on_page_x, on_page_y) in zip(spotted.polygon, moved.polygon, strict=True):
        assert tuple(crop.pixels[int(y), int(x), :2]) == (on_page_x, on_page_y)


def test_outside_its_polygon_a_crop_is_white() -> None:
    triangle = ((20.0, 20.0), (60.0, 20.0), (20.0, 60.0))
    crop = cut(page(), region(Box(20, 20, 60, 60), RegionKind.SEAL, polygon=triangle))
    assert crop.pixels[35, 35].tolist() == [255, 255, 255]
    assert crop.pixels[5, 5].tolist() == [25, 25, 128]


def test_the_page_itself_is_not_painted_over() -> None:
    pixels = page()
    cut(pixels, region(Box(20, 20, 60, 60), polygon=((20.0, 20.0), (60.0, 20.0), (20.0, 60.0))))
    assert np.array_equal(pixels, page())


@pytest.mark.parametrize("box", [Box(10, 10, 15, 60), Box(98, 10, 140, 60), Box(200, 200, 300, 300)])
def test_a_speck_is_a_failure_that_says_why(box: Box) -> None:
    crops, failures = crop_regions(page(), [region(box)])
    assert crops == ()
    assert isinstance(failures[1], RegionFailure)
    assert "pixels" in failures[1].message


@given(st.tuples(*[st.floats(-50, 150)] * 4), st.sampled_from(RegionKind))
def test_any_box_is_a_contiguous_crop_of_the_page_or_a_failure(
    corners: tuple[float, float, float, float], kind: RegionKind
) -> None:
    box = Box(min(corners[0], corners[2]), corners[1], max(corners[0], corners[2]), corners[3])
    crop = crop_region(page(), region(box, kind), RecognizeOptions(max_new_tokens=7))
    if isinstance(crop, Crop):
        assert crop.pixels.flags.c_contiguous
        assert min(crop.pixels.shape[:2]) >= SMALLEST_SIDE
        assert crop.options.max_new_tokens == 7
