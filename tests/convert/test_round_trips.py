"""What is turned into a message and sent comes back as it was."""

from dataclasses import replace
from typing import TypeVar

import numpy as np
from google.protobuf.message import Message
from hypothesis import given

from arcscribe.convert.events import (
    event_from_message,
    event_to_message,
    parse_options_from_message,
    parse_options_to_message,
)
from arcscribe.convert.images import image_from_message, image_to_message
from arcscribe.convert.layout import layout_from_message, layout_to_message
from arcscribe.convert.markdown import markdown_from_message, markdown_to_message
from arcscribe.convert.pages import block_from_message, block_to_message, page_from_message, page_to_message
from arcscribe.convert.recognition import (
    crop_from_message,
    crop_to_message,
    failure_from_message,
    failure_to_message,
    result_from_message,
    result_to_message,
    text_from_message,
    text_to_message,
)
from arcscribe.convert.regions import region_from_message, region_to_message
from arcscribe.document import AssembledMarkdown, ParsedPage
from arcscribe.events import ParseEvent, ParseOptions
from arcscribe.types import (
    Block,
    Crop,
    PageLayout,
    PartialText,
    Region,
    RegionFailure,
    RegionText,
    RgbImage,
    StageModel,
)
from tests import values

MessageT = TypeVar("MessageT", bound=Message)


def sent(message: MessageT) -> MessageT:
    """The message as its receiver has it."""
    return type(message).FromString(message.SerializeToString())


@given(values.images)
def test_images(image: RgbImage) -> None:
    assert np.array_equal(image_from_message(sent(image_to_message(image))), image)


@given(values.regions)
def test_regions(region: Region) -> None:
    assert region_from_message(sent(region_to_message(region))) == region


def test_a_flat_page_goes_with_its_layout() -> None:
    unwarped = np.arange(36, dtype=np.uint8).reshape(4, 3, 3)
    layout = PageLayout(90, 3, 4, (), StageModel("a", "b", "CPU"), unwarped=unwarped)
    received = layout_from_message(sent(layout_to_message(layout))).unwarped
    assert received is not None
    np.testing.assert_array_equal(received, unwarped)


@given(values.layouts)
def test_layouts(layout: PageLayout) -> None:
    assert layout_from_message(sent(layout_to_message(layout))) == layout


@given(values.crops)
def test_crops(crop: Crop) -> None:
    back = crop_from_message(sent(crop_to_message(crop)))
    assert np.array_equal(back.pixels, crop.pixels)
    assert (back.id, back.kind, back.lines) == (crop.id, crop.kind, crop.lines)
    assert (back.draft, back.options) == (crop.draft, crop.options)


@given(values.region_texts)
def test_texts(text: RegionText) -> None:
    assert text_from_message(sent(text_to_message(text))) == text


@given(values.region_texts)
def test_a_confidence_of_zero_is_not_none(text: RegionText) -> None:
    sure = replace(text, confidence=0.0)
    assert text_from_message(sent(text_to_message(sure))).confidence == 0.0


@given(values.region_failures)
def test_failures(failure: RegionFailure) -> None:
    assert failure_from_message(sent(failure_to_message(failure))) == failure


@given(values.partial_texts | values.region_texts | values.region_failures)
def test_what_is_told_of_a_crop(told: PartialText | RegionText | RegionFailure) -> None:
    message = sent(result_to_message(17, told))
    assert message.id == 17
    assert result_from_message(message) == told


@given(values.blocks)
def test_blocks(block: Block) -> None:
    assert block_from_message(sent(block_to_message(block))) == block


@given(values.pages)
def test_pages(page: ParsedPage) -> None:
    assert page_from_message(sent(page_to_message(page))) == page


@given(values.markdowns)
def test_markdown(markdown: AssembledMarkdown) -> None:
    assert markdown_from_message(sent(markdown_to_message(markdown, 1.0))) == markdown


@given(values.parse_options)
def test_options(options: ParseOptions) -> None:
    assert parse_options_from_message(sent(parse_options_to_message(options))) == options


@given(values.events)
def test_events(event: ParseEvent) -> None:
    assert event_from_message(sent(event_to_message(event))) == event
