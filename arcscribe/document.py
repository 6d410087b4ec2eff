"""A parsed document, as callers get it: pages of blocks, and the Markdown made of them."""

from dataclasses import dataclass
from enum import StrEnum

from arcscribe.types import Block, StageModel


class TableFormat(StrEnum):
    """How tables are written in Markdown."""

    HTML = "html"
    GFM = "gfm"
    """Pipe tables; a table with spans, which GFM cannot say, stays HTML."""


class PictureMode(StrEnum):
    """What becomes of pictures in Markdown."""

    LINK = "link"
    INLINE = "inline"
    """As data URIs."""
    NONE = "none"
    """Left out; what was read in a seal or a formula is written as text."""


@dataclass(frozen=True, slots=True)
class MarkdownOptions:
    """How a document becomes Markdown. `picture_folder` goes before the names in links, such as `images`."""

    table_format: TableFormat = TableFormat.HTML
    picture_mode: PictureMode = PictureMode.LINK
    picture_folder: str = ""
    page_breaks: bool = False
    """A comment `<!-- page 2 -->` before what is on page 2."""
    headers_and_footers: bool = False
    """Keep headers, footers, page numbers and text in the margin."""


@dataclass(frozen=True, slots=True)
class PageFailure:
    """Why a page could not be parsed: a word of `arcscribe.errors`, and a sentence for a person."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page's blocks in reading order. `number` counts from 1 in the file, whichever pages were asked for.

    `width`, `height` and all coordinates are those of the page turned clockwise by `rotation` degrees.
    A page with a `failure` has the blocks that were done before it failed, often none.
    """

    number: int
    width: int
    height: int
    rotation: int
    blocks: tuple[Block, ...]
    failure: PageFailure | None = None
    layout_model: StageModel | None = None
    """Which model found the regions; None where the page failed before that."""
    timings_ms: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """The pages that were asked for, in the file's order; `page_count` is the number of pages in the file."""

    name: str
    page_count: int
    pages: tuple[ParsedPage, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the outline; `level` is 1 to 6, (`page_number`, `region_id`) the block it came from."""

    level: int
    text: str
    page_number: int
    region_id: int


@dataclass(frozen=True, slots=True)
class LineCounts:
    """What became of the text lines that the layout stage found: `found` is the sum of the other three."""

    found: int = 0
    in_markdown: int = 0
    left_out: int = 0
    """In headers, footers and pictures, which the options leave out."""
    lost: int = 0
    """In regions that failed, or in which nothing was read."""

    def __add__(self, other: "LineCounts") -> "LineCounts":
        return LineCounts(
            self.found + other.found,
            self.in_markdown + other.in_markdown,
            self.left_out + other.left_out,
            self.lost + other.lost,
        )


@dataclass(frozen=True, slots=True)
class AssembledMarkdown:
    """A document as Markdown, with its outline, and a `LineCounts` for each of its pages, in order."""

    text: str
    outline: tuple[Heading, ...]
    line_counts: tuple[LineCounts, ...]

    @property
    def total(self) -> LineCounts:
        """The counts of all pages together."""
        return sum(self.line_counts, LineCounts())
