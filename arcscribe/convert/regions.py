"""Messages into types and back: regions, their lines, and what found them."""

from collections.abc import Iterable
from itertools import chain

from arcscribe.convert.enums import item_of
from arcscribe.errors import InvalidOption
from arcscribe.types import Box, Point, Region, RegionKind, StageModel, TextLine
from arcscribe.v1 import page_pb2

MAX_COORDINATE = 1e6
"""Pixels; no page comes near, and arithmetic with it is safe."""

MAX_POINTS = 1_000
"""Corners of a polygon; those that models draw have a few dozen."""

_KINDS = {kind: page_pb2.RegionKind.Value(f"REGION_KIND_{kind.name}") for kind in RegionKind}


def kind_to_message(kind: RegionKind) -> page_pb2.RegionKind.ValueType:
    return _KINDS[kind]


def kind_from_message(number: int, field: str) -> RegionKind:
    """A region's kind.

    Raises:
        InvalidOption: the kind is not set or not known.
    """
    return item_of(_KINDS, number, field)


def points_to_message(points: Iterable[Point]) -> page_pb2.Polygon:
    """The message of a polygon's corners."""
    return page_pb2.Polygon(points=[page_pb2.Point(x=x, y=y) for x, y in points])


def points_from_message(message: page_pb2.Polygon) -> tuple[Point, ...]:
    """A polygon's corners, at most `MAX_POINTS`.

    Raises:
        InvalidOption: more, or coordinates that cannot be.
    """
    if len(message.points) > MAX_POINTS:
        raise InvalidOption(f"a polygon has at most {MAX_POINTS} corners", field="polygon")
    points = tuple((point.x, point.y) for point in message.points)
    _check_coordinates(*chain.from_iterable(points))
    return points


def _check_coordinates(*values: float) -> None:
    if not all(-MAX_COORDINATE <= value <= MAX_COORDINATE for value in values):  # true of no NaN
        raise InvalidOption("a coordinate is no place on or near a page", field="coordinates")


def _box_to_message(box: Box) -> page_pb2.Box:
    return page_pb2.Box(left=box.left, top=box.top, right=box.right, bottom=box.bottom)


def _box_from_message(message: page_pb2.Box) -> Box:
    _check_coordinates(message.left, message.top, message.right, message.bottom)
    return Box(message.left, message.top, message.right, message.bottom)


def line_to_message(line: TextLine) -> page_pb2.TextLine:
    return page_pb2.TextLine(
        box=_box_to_message(line.box),
        polygon=points_to_message(line.polygon),
        score=line.score,
        vertical=line.vertical,
    )


def line_from_message(message: page_pb2.TextLine) -> TextLine:
    """A text line; a polygon that is not given is that of its box.

    Raises:
        InvalidOption: coordinates that cannot be, or a polygon that has not four points.
    """
    box = _box_from_message(message.box)
    polygon = points_from_message(message.polygon)
    if len(polygon) not in {0, 4}:
        raise InvalidOption("a line's polygon has four points", field="lines.polygon")
    return TextLine(box, polygon or box.to_polygon(), message.score, message.vertical)


def region_to_message(region: Region) -> page_pb2.Region:
    """The message of a region with its lines."""
    return page_pb2.Region(
        id=region.id,
        kind=kind_to_message(region.kind),
        label=region.label,
        score=region.score,
        box=_box_to_message(region.box),
        polygon=points_to_message(region.polygon) if region.polygon else None,
        lines=[line_to_message(line) for line in region.lines],
    )


def region_from_message(message: page_pb2.Region) -> Region:
    """A region with its lines.

    Raises:
        InvalidOption: the kind is not known, or coordinates that cannot be.
    """
    return Region(
        id=message.id,
        kind=kind_from_message(message.kind, "region.kind"),
        label=message.label,
        score=message.score,
        box=_box_from_message(message.box),
        polygon=points_from_message(message.polygon),
        lines=tuple(line_from_message(line) for line in message.lines),
    )


def model_to_message(model: StageModel) -> page_pb2.StageModel:
    return page_pb2.StageModel(engine=model.engine, name=model.name, device=model.device)


def model_from_message(message: page_pb2.StageModel) -> StageModel:
    return StageModel(message.engine, message.name, message.device)


def timings_to_message(timings: Iterable[tuple[str, float]]) -> list[page_pb2.Timing]:
    return [page_pb2.Timing(step=step, milliseconds=value) for step, value in timings]


def timings_from_message(messages: Iterable[page_pb2.Timing]) -> tuple[tuple[str, float], ...]:
    return tuple((message.step, message.milliseconds) for message in messages)
