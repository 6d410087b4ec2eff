"""Messages into types and back: what the VLM stage is sent, and what it answers."""

from arcscribe.convert.enums import item_of
from arcscribe.convert.images import image_from_message, image_to_message
from arcscribe.convert.regions import (
    kind_from_message,
    kind_to_message,
    line_from_message,
    line_to_message,
)
from arcscribe.types import (
    Crop,
    FinishReason,
    RecognizeOptions,
    RegionFailure,
    RegionText,
    TextFormat,
)
from arcscribe.v1 import vlm_pb2

_FORMATS = {item: vlm_pb2.TextFormat.Value(f"TEXT_FORMAT_{item.name}") for item in TextFormat}
_REASONS = {item: vlm_pb2.FinishReason.Value(f"FINISH_REASON_{item.name}") for item in FinishReason}


def options_to_message(options: RecognizeOptions) -> vlm_pb2.RecognizeOptions:
    return vlm_pb2.RecognizeOptions(max_new_tokens=options.max_new_tokens, partial_text=options.partial_text)


def options_from_message(message: vlm_pb2.RecognizeOptions) -> RecognizeOptions:
    return RecognizeOptions(message.max_new_tokens, message.partial_text)


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
        InvalidOption: the image, the kind or a line is not as the contract says.
        TooLarge: more than `MAX_IMAGE_PIXELS`.
    """
    return Crop(
        id=message.id,
        kind=kind_from_message(message.kind, "kind"),
        pixels=image_from_message(message.image),
        lines=tuple(line_from_message(line) for line in message.lines),
        draft=message.draft,
        options=options_from_message(message.options),
    )


def text_to_message(text: RegionText) -> vlm_pb2.RegionText:
    return vlm_pb2.RegionText(
        text=text.text,
        format=_FORMATS[text.format],
        finish_reason=_REASONS[text.finish_reason],
        confidence=text.confidence,
        prompt_tokens=text.prompt_tokens,
        generated_tokens=text.generated_tokens,
        milliseconds=text.milliseconds,
        engine=text.engine,
        model=text.model,
    )


def text_from_message(message: vlm_pb2.RegionText) -> RegionText:
    """What an engine read.

    Raises:
        InvalidOption: the format or the finish reason is not known.
    """
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
    )


def failure_to_message(failure: RegionFailure) -> vlm_pb2.RegionFailure:
    return vlm_pb2.RegionFailure(reason=failure.reason, message=failure.message)


def failure_from_message(message: vlm_pb2.RegionFailure) -> RegionFailure:
    return RegionFailure(message.reason, message.message)
