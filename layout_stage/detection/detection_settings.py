"""What is kept of a network's boxes, and how they are changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

Unclip = tuple[float, float]
"""By what a box's width and height are multiplied, about its centre."""
DEFAULT_THRESHOLD = 0.5
"""paddlex's for a class that a table of thresholds leaves out."""


class MergeMode(StrEnum):
    """What becomes of boxes within boxes; the names are paddlex's."""

    UNION = "union"
    """Both stay."""
    LARGE = "large"
    """The outer one stays."""
    SMALL = "small"
    """The inner one stays."""


class PolygonShape(StrEnum):
    """What is made of a mask; the names are paddlex's."""

    RECT = "rect"
    QUAD = "quad"
    POLY = "poly"
    AUTO = "auto"
    """The simplest of them that says the same."""


@dataclass(frozen=True, slots=True)
class DetectionSettings:
    """How a network's candidates are sifted; `layout_stage.detection.postprocess` says in which order.

    Where a setting has a value for each label, a label without one has the value of this class's default.
    """

    threshold: float | Mapping[str, float] = DEFAULT_THRESHOLD
    """What is scored at or below it goes."""
    nms: bool = False
    merge: MergeMode | Mapping[str, MergeMode] = MergeMode.UNION
    unclip: Unclip | Mapping[str, Unclip] = (1.0, 1.0)
    shape: PolygonShape = PolygonShape.AUTO
    whole_pixels: bool = False
    drop_overlapping: bool = False
