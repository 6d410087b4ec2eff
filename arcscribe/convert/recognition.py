"""Messages into types and back: what the VLM stage is sent, and what it answers."""

import math
from collections.abc import Sequence
from itertools import chain

from arcscribe.convert.enums import item_of
from arcscribe.convert.images import image_from_message, image_to_message
from arcscribe.convert.options import options_from_message, options_to_message
from arcscribe.convert.regions import (
    kind_from_message,
    kind_to_message,
    line_from_message,
    line_to_message,
    points_from_message,
    points_to_message,
)
from arcscribe.errors import InvalidOption
from arcscribe.types import (
    Crop,
    FinishReason,
    PartialText,
    RegionFailure,
    RegionText,
    SpottedText,
    TextFormat,
    TextLine,
)
from arcscribe.v1 import vlm_pb2

MAX_LINES = 10_000
"""Lines of one crop; a whole page of the smallest print has half as many."""

MAX_TEXT = 2_000_000
"""Characters of one crop's text; the most tokens that may be asked for give a tenth of it."""

_REACH = 256  # pixels by which lines may jut out of a small crop
_MOST_COVERS = 8  # times that lines, which hardly overlap, may cover their crop

_FORMATS = {item: vlm_pb2.TextFormat.Value(f"TEXT_FORMAT_{item.name}") for item in TextFormat}
_REASONS = {item: vlm_pb2.FinishReason.Value(f"FINISH_REASON_{item.name}") for item in FinishReason}


def crop_to_message(crop: Crop) -> vlm_pb2.RecognizeRequest:
    """What the VLM stage is sent for a region."""
    return vlm_pb2.RecognizeRequest(
        id=crop.id,
        kind=kind_to_message(crop.kind),
        image=image_to_message(crop.pixels),
        lines=[line_to_message(line) for line in crop.lines],
        draft=crop.draft,
        options=options_to_message(crop.options),
    )


def crop_from_message(message: vlm_pb2.RecognizeRequest) -> Crop:
    """A crop to be read.

    Raises:
        InvalidOption: the image, the kind, a line or an option is not as the contract says.
        TooLarge: more than `MAX_IMAGE_PIXELS`.
    """
    if len(message.lines) > MAX_LINES:
        raise InvalidOption(f"a crop has at most {MAX_LINES} lines", field="lines")
    pixels = image_from_message(message.image)
    lines = tuple(line_from_message(line) for line in message.lines)
    _check_places(lines, *pixels.shape[:2])
    return Crop(
        id=message.id,
        kind=kind_from_message(message.kind, "kind"),
        pixels=pixels,
        lines=lines,
        draft=message.draft,
        options=options_from_message(message.options, "options"),
    )


def _check_places(lines: Sequence[TextLine], height: int, width: int) -> None:
    """Each line is cut out of the image, which takes memory by the line's size, not by the image's."""
    least_x, most_x = -width - _REACH, 2 * width + _REACH
    least_y, most_y = -height - _REACH, 2 * height + _REACH
    for x, y in chain.from_iterable(line.polygon for line in lines):
        if not (least_x <= x <= most_x and least_y <= y <= most_y):
            raise InvalidOption("a line lies far outside its image", field="lines.polygon")
    if sum(_area(line) for line in lines) > _MOST_COVERS * (height + _REACH) * (width + _REACH):
        raise InvalidOption("the lines cover their image many times", field="lines.polygon")


def _area(line: TextLine) -> float:
    a, b, c, d = line.polygon
    return max(math.dist(a, b), math.dist(d, c)) * max(math.dist(a, d), math.dist(b, c))


def text_to_message(text: RegionText) -> vlm_pb2.RegionText:
    return vlm_pb2.RegionText(
        text=text.text,
        format=_FORMATS[text.format],
        finish_reason=_REASONS[text.finish_reason],
        confidence=text.confidence,
        prompt_tokens=text.prompt_tokens,
        generated_tokens=text.generated_tokens,
        draft_tokens=text.draft_tokens,
        milliseconds=text.milliseconds,
        engine=text.engine,
        model=text.model,
        spotted=map(_spotted_to_message, text.spotted),
    )


def text_from_message(message: vlm_pb2.RegionText) -> RegionText:
    """What an engine read.

    Raises:
        InvalidOption: the format or the finish reason is not known, a line's place cannot be, or the text is
            longer than `MAX_TEXT`.
    """
    if len(message.text) > MAX_TEXT:
        raise InvalidOption(f"a text has at most {MAX_TEXT} characters", field="text")
    return RegionText(
        text=message.text,
        format=item_of(_FORMATS, message.format, "format"),
        finish_reason=item_of(_REASONS, message.finish_reason, "finish_reason"),
        engine=message.engine,
        model=message.model,
        milliseconds=message.milliseconds,
        confidence=message.confidence if message.HasField("confidence") else None,
        prompt_tokens=message.prompt_tokens,
        generated_tokens=message.generated_tokens,
        draft_tokens=message.draft_tokens,
        spotted=tuple(map(_spotted_from_message, message.spotted)),
    )


def _spotted_to_message(spotted: SpottedText) -> vlm_pb2.SpottedText:
    return vlm_pb2.SpottedText(text=spotted.text, polygon=points_to_message(spotted.polygon))


def _spotted_from_message(message: vlm_pb2.SpottedText) -> SpottedText:
    polygon = points_from_message(message.polygon)
    if len(polygon) != 4:
        raise InvalidOption("a spotted line has four corners", field="spotted.polygon")
    return SpottedText(message.text, polygon)


def failure_to_message(failure: RegionFailure) -> vlm_pb2.RegionFailure:
    return vlm_pb2.RegionFailure(reason=failure.reason, message=failure.message)


def failure_from_message(message: vlm_pb2.RegionFailure) -> RegionFailure:
    return RegionFailure(message.reason, message.message)


def result_to_message(
    crop_id: int, result: PartialText | RegionText | RegionFailure
) -> vlm_pb2.RecognizeResponse:
    """What is told of a crop: an answer, or a text that an answer follows."""
    match result:
        case PartialText():
            return vlm_pb2.RecognizeResponse(id=crop_id, partial=vlm_pb2.PartialText(text=result.text))
        case RegionText():
            return vlm_pb2.RecognizeResponse(id=crop_id, text=text_to_message(result))
        case RegionFailure():
            return vlm_pb2.RecognizeResponse(id=crop_id, failure=failure_to_message(result))


def result_from_message(message: vlm_pb2.RecognizeResponse) -> PartialText | RegionText | RegionFailure:
    """What is told of the crop with the message's `id`.

    Raises:
        InvalidOption: nothing is, or the format or finish reason of a text is not known.
    """
    match message.WhichOneof("result"):
        case "partial":
            return PartialText(message.partial.text)
        case "text":
            return text_from_message(message.text)
        case "failure":
            return failure_from_message(message.failure)
        case _:
            raise InvalidOption("a response has neither text nor failure", field="result")
