"""How much two polygons have in common."""

from shapely import Polygon  # type: ignore[import-untyped]

from layout_stage.detection.detections import Points


def polygon_iou(one: Points, other: Points) -> float:
    """Intersection over union, 0 to 1; 0 for polygons without an area."""
    a, b = _valid(one), _valid(other)
    return _ratio(a.intersection(b).area, a.union(b).area)


def shared_by_smaller(one: Points, other: Points) -> float:
    """The part of the smaller polygon, 0 to 1, that lies in the other; 0 for polygons without an area."""
    a, b = _valid(one), _valid(other)
    return _ratio(a.intersection(b).area, min(a.area, b.area))


def _valid(points: Points) -> Polygon:
    polygon = Polygon(points)
    # An outline that crosses itself has no inside to speak of; this keeps the parts that have one.
    return polygon if polygon.is_valid else polygon.buffer(0)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0
