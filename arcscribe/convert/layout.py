"""Messages into types and back: what the layout stage answers."""

from arcscribe.convert.images import image_from_message, image_to_message
from arcscribe.convert.regions import (
    model_from_message,
    model_to_message,
    region_from_message,
    region_to_message,
    timings_from_message,
    timings_to_message,
)
from arcscribe.errors import InvalidOption
from arcscribe.types import PageLayout, RgbImage
from arcscribe.v1 import layout_pb2

MAX_REGIONS = 10_000
"""Of one page; detectors give a few hundred at most."""


def layout_to_message(layout: PageLayout) -> layout_pb2.AnalyzeResponse:
    """What the layout stage answers for a page."""
    return layout_pb2.AnalyzeResponse(
        rotation=layout.rotation,
        width=layout.width,
        height=layout.height,
        regions=[region_to_message(region) for region in layout.regions],
        model=model_to_message(layout.model),
        timings=timings_to_message(layout.timings_ms),
        unwarped=None if layout.unwarped is None else image_to_message(layout.unwarped),
    )


def layout_from_message(message: layout_pb2.AnalyzeResponse) -> PageLayout:
    """A page's layout.

    Raises:
        InvalidOption: the rotation, a region or the flat page is not as the contract says, an id occurs
            twice, or there are more regions than `MAX_REGIONS`.
    """
    if len(message.regions) > MAX_REGIONS:
        raise InvalidOption(f"a page has at most {MAX_REGIONS} regions", field="regions")
    if message.rotation not in {0, 90, 180, 270}:
        raise InvalidOption(f"rotation cannot be {message.rotation}", field="rotation")
    if len({region.id for region in message.regions}) < len(message.regions):
        raise InvalidOption("two regions have the same id", field="regions.id")
    return PageLayout(
        rotation=message.rotation,
        width=message.width,
        height=message.height,
        regions=tuple(region_from_message(region) for region in message.regions),
        model=model_from_message(message.model),
        timings_ms=timings_from_message(message.timings),
        unwarped=_unwarped(message),
    )


def _unwarped(message: layout_pb2.AnalyzeResponse) -> RgbImage | None:
    if not message.HasField("unwarped"):
        return None
    image = image_from_message(message.unwarped)
    if image.shape[:2] != (message.height, message.width):
        raise InvalidOption("unwarped is not as large as the page", field="unwarped")
    return image
