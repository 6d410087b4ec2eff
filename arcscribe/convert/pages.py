"""Messages into types and back: blocks and pages."""

from arcscribe.convert.recognition import (
    failure_from_message,
    failure_to_message,
    text_from_message,
    text_to_message,
)
from arcscribe.convert.regions import (
    model_from_message,
    model_to_message,
    region_from_message,
    region_to_message,
    timings_from_message,
    timings_to_message,
)
from arcscribe.document import PageFailure, ParsedPage
from arcscribe.errors import InvalidOption
from arcscribe.types import Block, RegionFailure, RegionText
from arcscribe.v1 import parse_pb2


def block_to_message(block: Block) -> parse_pb2.Block:
    """A region and what became of it."""
    message = parse_pb2.Block(region=region_to_message(block.region), picture=block.picture)
    if isinstance(block.result, RegionText):
        message.text.CopyFrom(text_to_message(block.result))
    else:
        message.failure.CopyFrom(failure_to_message(block.result))
    return message


def block_from_message(message: parse_pb2.Block) -> Block:
    """A region and what became of it.

    Raises:
        InvalidOption: it has no result, or a kind, format or coordinate is not as the contract says.
    """
    return Block(region_from_message(message.region), _result(message), message.picture)


def _result(message: parse_pb2.Block) -> RegionText | RegionFailure:
    match message.WhichOneof("result"):
        case "text":
            return text_from_message(message.text)
        case "failure":
            return failure_from_message(message.failure)
        case _:
            raise InvalidOption("a block has neither text nor failure", field="block.result")


def page_to_message(page: ParsedPage) -> parse_pb2.Page:
    """A page with its blocks."""
    return parse_pb2.Page(
        number=page.number,
        width=page.width,
        height=page.height,
        rotation=page.rotation,
        blocks=[block_to_message(block) for block in page.blocks],
        failure=_page_failure(page.failure),
        layout_model=model_to_message(page.layout_model) if page.layout_model else None,
        timings=timings_to_message(page.timings_ms),
    )


def _page_failure(failure: PageFailure | None) -> parse_pb2.PageFailure | None:
    return parse_pb2.PageFailure(reason=failure.reason, message=failure.message) if failure else None


def page_from_message(message: parse_pb2.Page) -> ParsedPage:
    """A page with its blocks.

    Raises:
        InvalidOption: a block is not as the contract says.
    """
    failure = PageFailure(message.failure.reason, message.failure.message)
    layout_model = model_from_message(message.layout_model)
    return ParsedPage(
        number=message.number,
        width=message.width,
        height=message.height,
        rotation=message.rotation,
        blocks=tuple(block_from_message(block) for block in message.blocks),
        failure=failure if message.HasField("failure") else None,
        layout_model=layout_model if message.HasField("layout_model") else None,
        timings_ms=timings_from_message(message.timings),
    )
