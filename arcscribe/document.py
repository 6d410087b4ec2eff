"""A parsed document, as callers get it: pages of blocks, the Markdown made of them, and the same as JSON."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from arcscribe.types import Block, Box, Point, RegionFailure, RegionText, StageModel


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


def to_json(document: Document, assembled: AssembledMarkdown | None = None) -> bytes:
    """The document as UTF-8 JSON: every page and block, and, if given, the outline and line counts.

    The names of the keys are part of the public interface; coordinates are pixels, rounded to 0.01.
    """
    tree: dict[str, object] = {
        "name": document.name,
        "page_count": document.page_count,
        "pages": [_page(page) for page in document.pages],
    }
    if assembled is not None:
        tree["outline"] = assembled.outline
        tree["line_counts"] = {
            "total": assembled.total,
            "pages": [
                {"page_number": page.number, "counts": counts}
                for page, counts in zip(document.pages, assembled.line_counts, strict=True)
            ],
        }
    return msgspec.json.encode(tree)


def _page(page: ParsedPage) -> dict[str, object]:
    return {
        "number": page.number,
        "width": page.width,
        "height": page.height,
        "rotation": page.rotation,
        "failure": page.failure,
        "layout_model": page.layout_model,
        "timings_ms": {name: round(value, 3) for name, value in page.timings_ms},
        "blocks": [_block(order, block) for order, block in enumerate(page.blocks, start=1)],
    }


def _block(order: int, block: Block) -> dict[str, object]:
    region = block.region
    return {
        "id": region.id,
        "order": order,
        "kind": region.kind,
        "label": region.label,
        "score": round(region.score, 4),
        "box": _box(region.box),
        "polygon": _polygon(region.polygon),
        "lines": [
            {
                "box": _box(line.box),
                "polygon": _polygon(line.polygon),
                "score": round(line.score, 4),
                "vertical": line.vertical,
            }
            for line in region.lines
        ],
        "picture": block.picture,
    } | _result(block.result)


def _result(result: RegionText | RegionFailure) -> dict[str, object]:
    if isinstance(result, RegionFailure):
        return {"failure": result}
    return {
        "text": result.text,
        "format": result.format,
        "confidence": result.confidence,
        "finish_reason": result.finish_reason,
        "engine": result.engine,
        "model": result.model,
        "milliseconds": round(result.milliseconds, 3),
        "prompt_tokens": result.prompt_tokens,
        "generated_tokens": result.generated_tokens,
        "failure": None,
    }


def _box(box: Box) -> list[float]:
    """[left, top, right, bottom]"""
    return [round(value, 2) for value in (box.left, box.top, box.right, box.bottom)]


def _polygon(points: Iterable[Point]) -> list[list[float]]:
    return [[round(x, 2), round(y, 2)] for x, y in points]
