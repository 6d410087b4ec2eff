"""Messages that are not as the contract says are refused, with the field that is wrong."""

import io
import math
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from arcscribe.convert.events import (
    event_from_message,
    parse_options_from_message,
    parse_options_to_message,
    picture_from_message,
)
from arcscribe.convert.images import MAX_IMAGE_PIXELS, image_from_message
from arcscribe.convert.layout import MAX_REGIONS, layout_from_message
from arcscribe.convert.options import options_from_message
from arcscribe.convert.pages import block_from_message
from arcscribe.convert.recognition import MAX_TEXT, crop_from_message, result_from_message, text_from_message
from arcscribe.convert.regions import MAX_POINTS, line_from_message, region_from_message
from arcscribe.errors import InferenceFailed, InvalidOption, TooLarge
from arcscribe.events import ParseOptions
from arcscribe.types import RecognizeOptions
from arcscribe.v1 import layout_pb2, page_pb2, parse_pb2, vlm_pb2

RGB8, PNG, JPEG = (
    page_pb2.IMAGE_ENCODING_RGB8,
    page_pb2.IMAGE_ENCODING_PNG,
    page_pb2.IMAGE_ENCODING_JPEG,
)
TEXT = page_pb2.REGION_KIND_TEXT


def picture_file(image_format: str, size: tuple[int, int] = (4, 3)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, (10, 200, 30)).save(file, image_format)
    return file.getvalue()


def png_file(width: int, height: int) -> bytes:
    """A PNG file that says to be of that size, and has hardly any pixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"few")))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def raw(width: int = 1, height: int = 1, data: bytes = b"rgb") -> page_pb2.Image:
    return page_pb2.Image(width=width, height=height, encoding=RGB8, data=data)


@pytest.mark.parametrize(
    ("convert", "message", "field"),
    [
        (image_from_message, page_pb2.Image(width=1, height=1, data=b"rgb"), "image.encoding"),
        (image_from_message, raw(2, 1), "image.data"),
        (image_from_message, raw(0, 1, b""), "image"),
        (image_from_message, page_pb2.Image(encoding=PNG, data=b""), "image.data"),
        (image_from_message, page_pb2.Image(encoding=PNG, data=picture_file("JPEG")), "image.data"),
        (image_from_message, page_pb2.Image(encoding=JPEG, data=picture_file("PNG")), "image.data"),
        (
            image_from_message,
            page_pb2.Image(width=3, height=4, encoding=PNG, data=picture_file("PNG")),
            "image",
        ),
        (crop_from_message, vlm_pb2.RecognizeRequest(image=raw()), "kind"),
        (crop_from_message, vlm_pb2.RecognizeRequest(kind=TEXT), "image.encoding"),
        (crop_from_message, vlm_pb2.RecognizeRequest(kind=99, image=raw()), "kind"),  # type: ignore[arg-type]
        (region_from_message, page_pb2.Region(), "region.kind"),
        (region_from_message, page_pb2.Region(kind=TEXT, box=page_pb2.Box(left=math.nan)), "coordinates"),
        (region_from_message, page_pb2.Region(kind=TEXT, box=page_pb2.Box(right=1e30)), "coordinates"),
        (line_from_message, page_pb2.TextLine(box=page_pb2.Box(top=math.inf)), "coordinates"),
        (
            line_from_message,
            page_pb2.TextLine(polygon=page_pb2.Polygon(points=[page_pb2.Point()] * 3)),
            "lines.polygon",
        ),
        (layout_from_message, layout_pb2.AnalyzeResponse(rotation=45), "rotation"),
        (
            layout_from_message,
            layout_pb2.AnalyzeResponse(
                width=3,
                height=4,
                unwarped=page_pb2.Image(width=4, height=3, encoding=RGB8, data=bytes(36)),
            ),
            "unwarped",
        ),
        (
            layout_from_message,
            layout_pb2.AnalyzeResponse(regions=[page_pb2.Region(id=3, kind=TEXT)] * 2),
            "regions.id",
        ),
        (
            layout_from_message,
            layout_pb2.AnalyzeResponse(
                regions=[page_pb2.Region(id=number, kind=TEXT) for number in range(MAX_REGIONS + 1)]
            ),
            "regions",
        ),
        (
            region_from_message,
            page_pb2.Region(
                kind=TEXT, polygon=page_pb2.Polygon(points=[page_pb2.Point()] * (MAX_POINTS + 1))
            ),
            "polygon",
        ),
        (text_from_message, vlm_pb2.RegionText(text="a", finish_reason=vlm_pb2.FINISH_REASON_STOP), "format"),
        (text_from_message, vlm_pb2.RegionText(format=vlm_pb2.TEXT_FORMAT_PLAIN), "finish_reason"),
        (text_from_message, vlm_pb2.RegionText(text="x" * (MAX_TEXT + 1)), "text"),
        (
            text_from_message,
            vlm_pb2.RegionText(
                format=vlm_pb2.TEXT_FORMAT_PLAIN,
                finish_reason=vlm_pb2.FINISH_REASON_STOP,
                spotted=[vlm_pb2.SpottedText(polygon=page_pb2.Polygon(points=[page_pb2.Point()] * 5))],
            ),
            "spotted.polygon",
        ),
        (result_from_message, vlm_pb2.RecognizeResponse(id=1), "result"),
        (block_from_message, parse_pb2.Block(region=page_pb2.Region(kind=TEXT)), "block.result"),
        (picture_from_message, parse_pb2.Picture(), "pictures.name"),
        (picture_from_message, parse_pb2.Picture(name=".."), "pictures.name"),
        (picture_from_message, parse_pb2.Picture(name="../../etc/passwd"), "pictures.name"),
        (picture_from_message, parse_pb2.Picture(name="C:\\a.png"), "pictures.name"),
        (parse_options_from_message, parse_pb2.ParseOptions(table_format=9), "table_format"),  # type: ignore[arg-type]
        (parse_options_from_message, parse_pb2.ParseOptions(picture_mode=9), "picture_mode"),  # type: ignore[arg-type]
    ],
)
def test_a_malformed_message_is_refused_with_its_field(
    convert: Callable[[Any], object], message: Any, field: str
) -> None:
    with pytest.raises(InvalidOption) as caught:
        convert(message)
    assert caught.value.details["field"] == field


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("max_new_tokens", 32_769),
        ("temperature", -0.5),
        ("temperature", 2.5),
        ("temperature", math.nan),
        ("top_p", 1.01),
        ("top_p", -1.0),
        ("repetition_penalty", math.inf),
        ("repetition_penalty", math.nan),
        ("repetition_penalty", -1.0),
        ("repetition_penalty", 0.0625),
        ("repetition_penalty", 10.5),
        ("max_pixels", 5_000_000),
        ("min_pixels", 5_000_000),
        ("prompt", "x" * 1001),
    ],
)
def test_an_option_that_is_out_of_bounds_is_refused_in_a_crop_and_in_a_document(
    option: str, value: Any
) -> None:
    options = vlm_pb2.RecognizeOptions(**{option: value})
    crop = vlm_pb2.RecognizeRequest(kind=TEXT, image=raw(), options=options)
    with pytest.raises(InvalidOption) as caught:
        crop_from_message(crop)
    assert caught.value.details["field"] == f"options.{option}"
    with pytest.raises(InvalidOption) as caught:
        parse_options_from_message(parse_pb2.ParseOptions(recognize=options))
    assert caught.value.details["field"] == f"recognize.{option}"


@pytest.mark.parametrize("penalty", [0.0, 0.1, 1.0, 10.0])
def test_a_repetition_penalty_is_nothing_or_no_smaller_than_a_tenth(penalty: float) -> None:
    options = options_from_message(vlm_pb2.RecognizeOptions(repetition_penalty=penalty), "options")
    assert options.repetition_penalty == pytest.approx(penalty)
    with pytest.raises(InvalidOption, match=r"must be 0, or from 0\.1 to 10\.0"):
        options_from_message(vlm_pb2.RecognizeOptions(repetition_penalty=0.09), "options")


def test_the_smallest_size_is_not_over_the_largest() -> None:
    options = vlm_pb2.RecognizeOptions(min_pixels=200_000, max_pixels=100_000)
    with pytest.raises(InvalidOption, match="min_pixels is 200000; it must be from 0 to 100000"):
        options_from_message(options, "options")


def line(left: float, top: float, right: float, bottom: float) -> page_pb2.TextLine:
    return page_pb2.TextLine(box=page_pb2.Box(left=left, top=top, right=right, bottom=bottom))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([line(0, 0, 20_000, 20_000)], "far outside"),
        ([line(-900, 0, 5, 1)], "far outside"),
        ([line(0, 0, 40, 30)] * 2000, "many times"),
        ([line(0, 0, 1, 1)] * 10_001, "at most 10000"),
    ],
    ids=["huge", "elsewhere", "one upon the other", "too many"],
)
def test_lines_that_would_take_all_memory_are_refused(lines: list[page_pb2.TextLine], words: str) -> None:
    message = vlm_pb2.RecognizeRequest(kind=TEXT, image=raw(40, 30, bytes(3600)), lines=lines)
    with pytest.raises(InvalidOption, match=words) as caught:
        crop_from_message(message)
    assert caught.value.details["field"].startswith("lines")


def test_lines_may_jut_out_of_their_crop_and_overlap() -> None:
    lines = [line(-100, -8, 140, 12), line(0, 5, 40, 25), line(0, 10, 40, 300)]
    message = vlm_pb2.RecognizeRequest(kind=TEXT, image=raw(40, 30, bytes(3600)), lines=lines)
    assert len(crop_from_message(message).lines) == 3


def test_options_that_are_not_set_mean_the_defaults() -> None:
    assert parse_options_from_message(parse_pb2.ParseOptions()) == ParseOptions()


def test_an_event_of_a_kind_from_the_future_is_no_event() -> None:
    with pytest.raises(InferenceFailed, match="unknown kind"):
        event_from_message(parse_pb2.ParseEvent())


@pytest.mark.parametrize(
    "message",
    [
        raw(10_000, 10_000, b""),
        page_pb2.Image(encoding=PNG, data=png_file(8_001, 8_000)),
        page_pb2.Image(encoding=PNG, data=png_file(60_000, 60_000)),
    ],
)
def test_an_image_over_the_limit_is_too_large_before_it_is_decoded(message: page_pb2.Image) -> None:
    with pytest.raises(TooLarge) as caught:
        image_from_message(message)
    assert caught.value.details == {"what": "image pixels", "limit": str(MAX_IMAGE_PIXELS)}


@pytest.mark.parametrize(("encoding", "name"), [(PNG, "PNG"), (JPEG, "JPEG")])
@pytest.mark.parametrize("size", [(0, 0), (4, 3)])
def test_compressed_images_are_decoded(
    encoding: page_pb2.ImageEncoding.ValueType, name: str, size: tuple[int, int]
) -> None:
    width, height = size
    message = page_pb2.Image(width=width, height=height, encoding=encoding, data=picture_file(name))
    image = image_from_message(message)
    assert image.shape == (3, 4, 3)
    assert np.abs(image.astype(int) - (10, 200, 30)).max() <= 3


@given(st.data(), st.sampled_from([(PNG, "PNG"), (JPEG, "JPEG")]))
def test_damaged_images_are_refused_or_read_but_break_nothing(
    data: st.DataObject, encoding: tuple[page_pb2.ImageEncoding.ValueType, str]
) -> None:
    whole = bytearray(picture_file(encoding[1], (32, 32)))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    damaged = bytes(whole[: data.draw(st.integers(0, len(whole)))])
    try:
        image = image_from_message(page_pb2.Image(encoding=encoding[0], data=damaged))
    except (InvalidOption, TooLarge):
        return
    assert image.ndim == 3


@pytest.mark.parametrize(
    "options",
    [
        ParseOptions(dpi=-1),
        ParseOptions(recognize=RecognizeOptions(max_new_tokens=-5)),
        ParseOptions(password="\udcff"),  # how Python holds a byte of the command line that is no UTF-8
    ],
)
def test_options_that_cannot_be_sent_are_invalid(options: ParseOptions) -> None:
    with pytest.raises(InvalidOption, match="cannot be sent"):
        parse_options_to_message(options)
