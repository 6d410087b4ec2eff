"""Messages into types and back: pages, regions and what was read of them. `convert_document` does documents.

What comes off the wire is checked here, so that the code behind it need not.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from io import BytesIO
from typing import TypeVar

import numpy as np
from PIL import Image

from arcscribe.errors import InvalidOption, TooLarge
from arcscribe.types import (
    Box,
    Crop,
    FinishReason,
    PageLayout,
    Point,
    RecognizeOptions,
    Region,
    RegionFailure,
    RegionKind,
    RegionText,
    RgbImage,
    StageModel,
    TextFormat,
    TextLine,
)
from arcscribe.v1 import layout_pb2, page_pb2, vlm_pb2

MAX_IMAGE_PIXELS = 64_000_000
"""The largest image a stage accepts; a page that the orchestrator renders stays well below it."""

EnumT = TypeVar("EnumT", bound=StrEnum)

_KINDS = {kind: page_pb2.RegionKind.Value(f"REGION_KIND_{kind.name}") for kind in RegionKind}
_FORMATS = {item: vlm_pb2.TextFormat.Value(f"TEXT_FORMAT_{item.name}") for item in TextFormat}
_REASONS = {item: vlm_pb2.FinishReason.Value(f"FINISH_REASON_{item.name}") for item in FinishReason}


def _reversed(values: Mapping[EnumT, int], value: int, field: str) -> EnumT:
    for item, number in values.items():
        if number == value:
            return item
    raise InvalidOption(f"{field} has no value {value}", field=field)


def image_to_message(image: RgbImage) -> page_pb2.Image:
    """The message of a uint8 array of shape (height, width, 3), RGB, uncompressed."""
    height, width = image.shape[:2]
    return page_pb2.Image(
        width=width, height=height, encoding=page_pb2.IMAGE_ENCODING_RGB8, data=image.tobytes()
    )


def image_from_message(message: page_pb2.Image) -> RgbImage:
    """A uint8 array of shape (height, width, 3), RGB; read-only where the message was uncompressed.

    Raises:
        InvalidOption: the bytes are no such image.
        TooLarge: more than `MAX_IMAGE_PIXELS`.
    """
    if message.encoding == page_pb2.IMAGE_ENCODING_RGB8:
        return _raw_image(message)
    if message.encoding in {page_pb2.IMAGE_ENCODING_PNG, page_pb2.IMAGE_ENCODING_JPEG}:
        return _decoded_image(message)
    raise InvalidOption("image.encoding is not set", field="image.encoding")


def _raw_image(message: page_pb2.Image) -> RgbImage:
    _check_pixels(message.width, message.height)
    if len(message.data) != message.width * message.height * 3:
        raise InvalidOption("image.data is not width * height * 3 bytes", field="image.data")
    return np.frombuffer(message.data, dtype=np.uint8).reshape(message.height, message.width, 3)


def _decoded_image(message: page_pb2.Image) -> RgbImage:
    formats = ["PNG"] if message.encoding == page_pb2.IMAGE_ENCODING_PNG else ["JPEG"]
    try:
        with Image.open(BytesIO(message.data), formats=formats) as picture:
            _check_pixels(*picture.size)
            return np.asarray(picture.convert("RGB"))
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise InvalidOption(f"image.data is not a {formats[0]} file", field="image.data") from error


def _check_pixels(width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise InvalidOption("the image is empty", field="image")
    if width * height > MAX_IMAGE_PIXELS:
        raise TooLarge(
            f"the image has {width * height} pixels; the limit is {MAX_IMAGE_PIXELS}",
            what="image pixels",
            limit=str(MAX_IMAGE_PIXELS),
        )


def _points_to_message(points: Iterable[Point]) -> page_pb2.Polygon:
    return page_pb2.Polygon(points=[page_pb2.Point(x=x, y=y) for x, y in points])


def _points_from_message(message: page_pb2.Polygon) -> tuple[Point, ...]:
    return tuple((point.x, point.y) for point in message.points)


def _box_to_message(box: Box) -> page_pb2.Box:
    return page_pb2.Box(left=box.left, top=box.top, right=box.right, bottom=box.bottom)


def _box_from_message(message: page_pb2.Box) -> Box:
    return Box(message.left, message.top, message.right, message.bottom)


def _line_to_message(line: TextLine) -> page_pb2.TextLine:
    return page_pb2.TextLine(
        box=_box_to_message(line.box),
        polygon=_points_to_message(line.polygon),
        score=line.score,
        vertical=line.vertical,
    )


def _line_from_message(message: page_pb2.TextLine) -> TextLine:
    box = _box_from_message(message.box)
    polygon = _points_from_message(message.polygon)
    if len(polygon) not in {0, 4}:
        raise InvalidOption("a line's polygon has four points", field="lines.polygon")
    if not np.isfinite([box.left, box.top, box.right, box.bottom, *np.ravel(polygon)]).all():
        raise InvalidOption("a line's coordinates are not numbers", field="lines")
    return TextLine(box, polygon or box.to_polygon(), message.score, message.vertical)


def region_to_message(region: Region) -> page_pb2.Region:
    """The message of a region with its lines."""
    return page_pb2.Region(
        id=region.id,
        kind=_KINDS[region.kind],
        label=region.label,
        score=region.score,
        box=_box_to_message(region.box),
        polygon=_points_to_message(region.polygon) if region.polygon else None,
        lines=[_line_to_message(line) for line in region.lines],
    )


def region_from_message(message: page_pb2.Region) -> Region:
    """A region with its lines.

    Raises:
        InvalidOption: the kind is not known, or coordinates are not numbers.
    """
    return Region(
        id=message.id,
        kind=_reversed(_KINDS, message.kind, "region.kind"),
        label=message.label,
        score=message.score,
        box=_box_from_message(message.box),
        polygon=_points_from_message(message.polygon),
        lines=tuple(_line_from_message(line) for line in message.lines),
    )


def model_to_message(model: StageModel) -> page_pb2.StageModel:
    return page_pb2.StageModel(engine=model.engine, name=model.name, device=model.device)


def model_from_message(message: page_pb2.StageModel) -> StageModel:
    return StageModel(message.engine, message.name, message.device)


def timings_to_message(timings: Iterable[tuple[str, float]]) -> list[page_pb2.Timing]:
    return [page_pb2.Timing(step=step, milliseconds=value) for step, value in timings]


def timings_from_message(messages: Iterable[page_pb2.Timing]) -> tuple[tuple[str, float], ...]:
    return tuple((message.step, message.milliseconds) for message in messages)


def layout_to_message(layout: PageLayout) -> layout_pb2.AnalyzeResponse:
    """What the layout stage answers for a page."""
    return layout_pb2.AnalyzeResponse(
        rotation=layout.rotation,
        width=layout.width,
        height=layout.height,
        regions=[region_to_message(region) for region in layout.regions],
        model=model_to_message(layout.model),
        timings=timings_to_message(layout.timings_ms),
    )


def layout_from_message(message: layout_pb2.AnalyzeResponse) -> PageLayout:
    """A page's layout.

    Raises:
        InvalidOption: the rotation or a region is not as the contract says.
    """
    if message.rotation not in {0, 90, 180, 270}:
        raise InvalidOption(f"rotation cannot be {message.rotation}", field="rotation")
    return PageLayout(
        rotation=message.rotation,
        width=message.width,
        height=message.height,
        regions=tuple(region_from_message(region) for region in message.regions),
        model=model_from_message(message.model),
        timings_ms=timings_from_message(message.timings),
    )


def options_to_message(options: RecognizeOptions) -> vlm_pb2.RecognizeOptions:
    return vlm_pb2.RecognizeOptions(max_new_tokens=options.max_new_tokens, partial_text=options.partial_text)


def options_from_message(message: vlm_pb2.RecognizeOptions) -> RecognizeOptions:
    return RecognizeOptions(message.max_new_tokens, message.partial_text)


def crop_to_message(crop: Crop) -> vlm_pb2.RecognizeRequest:
    """What the VLM stage is sent for a region."""
    return vlm_pb2.RecognizeRequest(
        id=crop.id,
        kind=_KINDS[crop.kind],
        image=image_to_message(crop.pixels),
        lines=[_line_to_message(line) for line in crop.lines],
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
        kind=_reversed(_KINDS, message.kind, "kind"),
        pixels=image_from_message(message.image),
        lines=tuple(_line_from_message(line) for line in message.lines),
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
        format=_reversed(_FORMATS, message.format, "format"),
        finish_reason=_reversed(_REASONS, message.finish_reason, "finish_reason"),
        engine=message.engine,
        model=message.model,
        milliseconds=message.milliseconds,
        confidence=message.confidence if message.HasField("confidence") else None,
        prompt_tokens=message.prompt_tokens,
        generated_tokens=message.generated_tokens,
    )


def failure_to_message(failure: RegionFailure) -> vlm_pb2.RegionError:
    return vlm_pb2.RegionError(reason=failure.reason, message=failure.message)


def failure_from_message(message: vlm_pb2.RegionError) -> RegionFailure:
    return RegionFailure(message.reason, message.message)
