"""The values that travel from a page to a document.

A new immutable value at each step: an image becomes a `PageLayout` of `Region`s, each region a `Crop`,
each crop a `RegionText` (or a `RegionFailure`) after any number of `PartialText`s, and region and text
together a `Block` of a `ParsedPage`.

Coordinates are pixels of the rendered, upright page, origin top left, x to the right and y down, unless a
field says otherwise. Images are uint8 arrays of shape (height, width, 3), RGB.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

RgbImage = NDArray[np.uint8]
Point = tuple[float, float]


class RegionKind(StrEnum):
    """What a region of a page is; the names are those of PP-StructureV3's layout labels."""

    DOC_TITLE = "doc_title"
    PARAGRAPH_TITLE = "paragraph_title"
    TEXT = "text"
    VERTICAL_TEXT = "vertical_text"
    ABSTRACT = "abstract"
    CONTENT = "content"
    REFERENCE = "reference"
    ALGORITHM = "algorithm"
    FIGURE_TITLE = "figure_title"
    TABLE_TITLE = "table_title"
    CHART_TITLE = "chart_title"
    TABLE = "table"
    FORMULA = "formula"
    FORMULA_NUMBER = "formula_number"
    IMAGE = "image"
    CHART = "chart"
    SEAL = "seal"
    HEADER = "header"
    HEADER_IMAGE = "header_image"
    FOOTER = "footer"
    FOOTER_IMAGE = "footer_image"
    NUMBER = "number"
    FOOTNOTE = "footnote"
    ASIDE_TEXT = "aside_text"


class TextFormat(StrEnum):
    """How the text of a region is to be read."""

    PLAIN = "plain"
    HTML = "html"
    """One well-formed `<table>`."""
    LATEX = "latex"
    """A formula without delimiters."""
    NONE = "none"
    """The region stays a picture; its text is alternative text and may be empty."""


class FinishReason(StrEnum):
    """Why an engine stopped writing."""

    STOP = "stop"
    LENGTH = "length"
    REPETITION = "repetition"


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-parallel rectangle; `right` and `bottom` lie just outside it."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return max(0.0, self.right - self.left)

    @property
    def height(self) -> float:
        return max(0.0, self.bottom - self.top)

    @property
    def area(self) -> float:
        return self.width * self.height

    @property
    def center(self) -> Point:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def intersection(self, other: "Box") -> "Box":
        """The common part; a box of area 0 where there is none."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return Box(left, top, max(left, right), max(top, bottom))

    def union(self, other: "Box") -> "Box":
        """The smallest box that holds both."""
        return Box(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def coverage_by(self, other: "Box") -> float:
        """The share of this box, 0 to 1, that lies in the other."""
        return self.intersection(other).area / self.area if self.area > 0 else 0.0

    def iou(self, other: "Box") -> float:
        """Intersection over union, 0 to 1."""
        common = self.intersection(other).area
        whole = self.area + other.area - common
        return common / whole if whole > 0 else 0.0

    def shifted(self, dx: float, dy: float) -> "Box":
        return Box(self.left + dx, self.top + dy, self.right + dx, self.bottom + dy)

    def expanded(self, margin: float) -> "Box":
        return Box(self.left - margin, self.top - margin, self.right + margin, self.bottom + margin)

    def clipped(self, width: float, height: float) -> "Box":
        """The part that lies on a page of that width and height."""
        return self.intersection(Box(0, 0, width, height))

    def to_polygon(self) -> tuple[Point, ...]:
        """The four corners, clockwise from the top left."""
        return (
            (self.left, self.top),
            (self.right, self.top),
            (self.right, self.bottom),
            (self.left, self.bottom),
        )


def enclosing_box(boxes: Iterable[Box]) -> Box:
    """The smallest box that holds them all.

    Raises:
        ValueError: there are no boxes.
    """
    items = list(boxes)
    if not items:
        raise ValueError("no boxes to enclose")
    return Box(
        min(b.left for b in items),
        min(b.top for b in items),
        max(b.right for b in items),
        max(b.bottom for b in items),
    )


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line (or column, where `vertical`) of text that the detector found, not yet read.

    `polygon` holds four corners: those of the line as it is read, clockwise from the start of its upper edge.
    """

    box: Box
    polygon: tuple[Point, ...]
    score: float
    vertical: bool = False


@dataclass(frozen=True, slots=True)
class Region:
    """What the layout stage found: one part of a page, of one kind. `id` is unique on its page."""

    id: int
    kind: RegionKind
    label: str
    """The layout model's own name for the kind."""
    score: float
    box: Box
    polygon: tuple[Point, ...] = ()
    lines: tuple[TextLine, ...] = ()


@dataclass(frozen=True, slots=True)
class StageModel:
    """Which engine, model and device gave a result."""

    engine: str
    name: str
    device: str


@dataclass(frozen=True, slots=True)
class PageLayout:
    """A page's regions in reading order.

    `rotation` is the clockwise turn in degrees (0, 90, 180, 270) that makes the submitted image upright;
    `width`, `height` and all coordinates are those of the image after that turn. `unwarped` is that image
    made flat, which the coordinates are of, where the stage unwarps pages; it is not compared.
    """

    rotation: int
    width: int
    height: int
    regions: tuple[Region, ...]
    model: StageModel
    timings_ms: tuple[tuple[str, float], ...] = ()
    unwarped: RgbImage | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class RecognizeOptions:
    """How a crop is to be read; zero or empty means the engine's own default.

    `vlm.proto` says within which bounds the numbers are; engines without tokens heed none of them.
    """

    max_new_tokens: int = 0
    partial_text: bool = False
    """Tell what is read while it is being read."""
    temperature: float = 0.0
    """0 takes the likeliest token each time."""
    top_p: float = 0.0
    repetition_penalty: float = 0.0
    seed: int = 0
    min_pixels: int = 0
    """A smaller crop is scaled up before it is read."""
    max_pixels: int = 0
    prompt: str = ""
    """In place of the one that goes with the region's kind, such as `Spotting:`."""


@dataclass(frozen=True, slots=True, eq=False)
class Crop:
    """The pixels of one region, shape (height, width, 3), with its text lines in the crop's own coordinates.

    `draft` is text that may be what the crop says (from an earlier, faster reading); an engine may ignore it.
    """

    id: int
    kind: RegionKind
    pixels: RgbImage
    lines: tuple[TextLine, ...] = ()
    draft: str = ""
    options: RecognizeOptions = RecognizeOptions()


@dataclass(frozen=True, slots=True)
class PartialText:
    """All that an engine has written so far of a crop that it is still reading, before it is cleaned."""

    text: str


@dataclass(frozen=True, slots=True)
class SpottedText:
    """A line that was read with its place.

    `polygon` holds four corners, clockwise from the start of the line's upper edge: in the crop's pixels as
    an engine answers, in the page's in a Block.
    """

    text: str
    polygon: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class RegionText:
    """What an engine read in one crop.

    `confidence` is None where the engine gives none; token counts are 0 for engines that have no tokens.
    `draft_tokens` of the `generated_tokens` were foretold by the crop's draft. `spotted` are the lines of the
    text that have places, where the prompt asked for them (`Spotting:`).
    """

    text: str
    format: TextFormat
    finish_reason: FinishReason
    engine: str
    model: str
    milliseconds: float
    confidence: float | None = None
    prompt_tokens: int = 0
    generated_tokens: int = 0
    draft_tokens: int = 0
    spotted: tuple[SpottedText, ...] = ()


@dataclass(frozen=True, slots=True)
class RegionFailure:
    """Why a crop could not be read: a word of `arcscribe.errors`, and a sentence for a person."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Block:
    """A region and what became of it. `picture` names the image that was cut out of it, or is empty."""

    region: Region
    result: RegionText | RegionFailure
    picture: str = ""
