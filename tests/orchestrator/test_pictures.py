"""Pictures cut out of pages, and pages with their regions drawn on them."""

from pathlib import PurePath
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import (
    Block,
    Box,
    FinishReason,
    Region,
    RegionFailure,
    RegionKind,
    RegionText,
    RgbImage,
    TextFormat,
)
from orchestrator.crops import SMALLEST_SIDE
from orchestrator.overlay import LONGEST_SIDE, draw_overlay
from orchestrator.pictures import cut_pictures

RED, GREEN, WHITE = (255, 0, 0), (0, 255, 0), (255, 255, 255)


def page_with(box: Box, color: tuple[int, int, int] = RED, size: tuple[int, int] = (100, 80)) -> RgbImage:
    page = np.full((*size, 3), 255, np.uint8)
    page[int(box.top) : int(box.bottom), int(box.left) : int(box.right)] = color
    return page


def block(box: Box, kind: RegionKind = RegionKind.IMAGE, **result: Any) -> Block:
    text_format = result.pop("format", TextFormat.NONE)
    text = RegionText("", text_format, FinishReason.STOP, "e", "m", 1.0)
    return Block(Region(7, kind, "figure", 0.9, box), result.pop("result", text))


def decoded(data: bytes) -> RgbImage:
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image[..., ::-1], np.uint8)


def test_a_picture_holds_the_pixels_of_its_region_as_they_are() -> None:
    box = Box(10, 20, 40, 60)
    (named,), (picture,) = cut_pictures(3, page_with(box), [block(box)])
    assert named.picture == picture.name == "page-0003-image-001.png"
    pixels = decoded(picture.data)
    assert pixels.shape == (40, 30, 3)
    assert (pixels == RED).all()


def test_a_pictures_number_is_its_regions_place_in_the_reading_order() -> None:
    box = Box(10, 20, 40, 60)
    read, cut = block(box, format=TextFormat.PLAIN), block(box, RegionKind.SEAL)
    _, (picture,) = cut_pictures(1, page_with(box), [read, read, cut])
    assert picture.name == "page-0001-seal-003.png"


def test_regions_that_were_read_or_failed_are_no_pictures() -> None:
    box = Box(10, 20, 40, 60)
    read = block(box, format=TextFormat.PLAIN)
    failed = block(box, result=RegionFailure("INFERENCE_FAILED", "no luck"))
    assert cut_pictures(1, page_with(box), [read, failed]) == ((read, failed), ())


@pytest.mark.parametrize(
    "box",
    [
        Box(10, 20, 10 + SMALLEST_SIDE - 1, 60),
        Box(10, 20, 40, 22),
        Box(200, 20, 240, 60),  # beside the page
        Box(-50, -50, 3, 3),  # all but a corner of it
        Box(40, 60, 10, 20),
    ],
)
def test_what_is_hardly_on_the_page_is_no_picture(box: Box) -> None:
    blocks, pictures = cut_pictures(1, page_with(Box(0, 0, 1, 1)), [block(box)])
    assert (blocks[0].picture, pictures) == ("", ())


def test_a_region_that_reaches_over_the_edge_is_cut_at_it() -> None:
    _, (picture,) = cut_pictures(1, page_with(Box(0, 0, 80, 100)), [block(Box(-20, 70, 500, 500))])
    assert decoded(picture.data).shape == (30, 80, 3)


numbers = st.floats(-1e6, 1e6)


@given(st.builds(Box, numbers, numbers, numbers, numbers))
def test_any_box_that_a_message_may_hold_can_be_cut_and_drawn(box: Box) -> None:
    page = page_with(Box(0, 0, 1, 1))
    _, pictures = cut_pictures(1, page, [block(box)])
    for picture in pictures:
        assert min(decoded(picture.data).shape[:2]) >= SMALLEST_SIDE - 1
    assert decoded(draw_overlay(page, [block(box).region])).shape == page.shape


@pytest.mark.parametrize("kind", list(RegionKind))
def test_names_are_safe_as_file_names(kind: RegionKind) -> None:
    box = Box(10, 20, 40, 60)
    _, (picture,) = cut_pictures(1, page_with(box), [block(box, kind)])
    assert PurePath(picture.name).name == picture.name
    assert picture.name.isascii()
    assert " " not in picture.name


def test_an_overlay_shows_each_regions_frame_in_the_colour_of_its_kind() -> None:
    page = np.full((400, 600, 3), 255, np.uint8)
    regions = [
        Region(1, RegionKind.DOC_TITLE, "", 0.9, Box(50, 50, 550, 100)),
        Region(2, RegionKind.TABLE, "", 0.9, Box(50, 200, 550, 350)),
    ]
    before = page.copy()
    drawn = decoded(draw_overlay(page, regions)).astype(int)
    assert np.array_equal(page, before)
    assert np.abs(drawn[75, 549] - (214, 39, 40)).max() < 60
    assert np.abs(drawn[275, 549] - (44, 160, 44)).max() < 60
    assert (drawn[150, 300] > 240).all()


def test_an_overlay_of_a_large_page_is_smaller() -> None:
    page = np.full((2 * LONGEST_SIDE, LONGEST_SIDE, 3), 255, np.uint8)
    region = Region(1, RegionKind.TEXT, "", 0.9, Box(100, 100, 1000, 2 * LONGEST_SIDE))
    drawn = decoded(draw_overlay(page, [region]))
    assert drawn.shape[:2] == (LONGEST_SIDE, LONGEST_SIDE // 2)
    assert not (drawn[LONGEST_SIDE // 2, 500] > 240).all()


def test_an_overlay_takes_pages_that_were_turned_without_a_copy() -> None:
    page = np.rot90(np.full((40, 60, 3), 255, np.uint8))
    assert decoded(draw_overlay(page, [])).shape == (60, 40, 3)
