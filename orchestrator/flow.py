"""The flow of a document: its blocks in the order in which they are read, page after page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from arcscribe.document import LineCounts, MarkdownOptions, ParsedPage, PictureMode
from arcscribe.types import Block, RegionFailure, RegionKind, RegionText, TextFormat
from orchestrator.escaping import clean, clean_code

MARGIN_KINDS = frozenset(
    {
        RegionKind.HEADER,
        RegionKind.HEADER_IMAGE,
        RegionKind.FOOTER,
        RegionKind.FOOTER_IMAGE,
        RegionKind.NUMBER,
        RegionKind.ASIDE_TEXT,
    }
)
"""What repeats round the text of every page, and is left out of Markdown unless it is asked for."""

FLOAT_KINDS = frozenset({RegionKind.IMAGE, RegionKind.CHART, RegionKind.TABLE})
CAPTION_KINDS = frozenset({RegionKind.FIGURE_TITLE, RegionKind.TABLE_TITLE, RegionKind.CHART_TITLE})
TITLE_KINDS = frozenset({RegionKind.DOC_TITLE, RegionKind.PARAGRAPH_TITLE})
WORDLESS_KINDS = frozenset(
    {RegionKind.IMAGE, RegionKind.CHART, RegionKind.HEADER_IMAGE, RegionKind.FOOTER_IMAGE}
)
"""Kinds of pictures that are left out, with what is written in them, where pictures are not wanted."""

_REACH = 3.0  # line heights between a caption and what it names


@dataclass(frozen=True, slots=True)
class Placed:
    """A block on its page. Of several that were joined, `text` is all their text, `end` the last of them."""

    page: ParsedPage
    block: Block
    text: str
    end: tuple[ParsedPage, Block]

    @property
    def kind(self) -> RegionKind:
        return self.block.region.kind

    @property
    def format(self) -> TextFormat | None:
        """None where the region could not be read."""
        return None if isinstance(self.block.result, RegionFailure) else self.block.result.format

    @property
    def key(self) -> tuple[int, int]:
        """Page number and region id."""
        return self.page.number, self.block.region.id

    @property
    def order(self) -> int:
        """The place of its region in the page's reading order, from 1, as overlays show it."""
        return 1 + [block.region.id for block in self.page.blocks].index(self.block.region.id)

    def followed_by(self, other: "Placed", text: str) -> "Placed":
        """Both as one, with that text."""
        return replace(self, text=text, end=other.end)


def place_blocks(page: ParsedPage, keep_margins: bool) -> tuple[Placed, ...]:
    """A page's blocks as they are read: captions next to what they name, footnotes after the text."""
    blocks = [block for block in page.blocks if keep_margins or block.region.kind not in MARGIN_KINDS]
    ordered = _footnotes_last(_captions_moved(blocks))
    return tuple(Placed(page, block, _text(block), (page, block)) for block in ordered)


def count_lines(page: ParsedPage, options: MarkdownOptions) -> LineCounts:
    """What becomes of the text lines of a page."""
    return sum((_count(block, options) for block in page.blocks), LineCounts())


def line_height(block: Block) -> float:
    """The median height of a block's lines in pixels; where it has none, of its box by its lines of text."""
    heights = [line.box.width if line.vertical else line.box.height for line in block.region.lines]
    if heights:
        return float(median(heights))
    return block.region.box.height / (_text(block).count("\n") + 1)


def _text(block: Block) -> str:
    if isinstance(block.result, RegionFailure):
        return ""
    if block.region.kind is RegionKind.ALGORITHM:
        return clean_code(block.result.text)
    return clean(block.result.text)


def _count(block: Block, options: MarkdownOptions) -> LineCounts:
    found = len(block.region.lines)
    kind, result = block.region.kind, block.result
    if kind in MARGIN_KINDS and not options.headers_and_footers:
        return LineCounts(found, left_out=found)
    if isinstance(result, RegionText) and result.format is TextFormat.NONE:
        unshown = options.picture_mode is PictureMode.NONE and kind in WORDLESS_KINDS
        if unshown or not _text(block):
            return LineCounts(found, left_out=found)
    return LineCounts(found, in_markdown=found) if _text(block) else LineCounts(found, lost=found)


def _footnotes_last(blocks: Sequence[Block]) -> list[Block]:
    return sorted(blocks, key=lambda block: block.region.kind is RegionKind.FOOTNOTE)


def _captions_moved(blocks: Sequence[Block]) -> list[Block]:
    """Each caption that stands next to no figure or table goes to the nearest one of its page."""
    ordered = list(blocks)
    for block in blocks:
        if block.region.kind in CAPTION_KINDS and not _stands_by_a_float(ordered, ordered.index(block)):
            _move_caption(ordered, block)
    return ordered


def _stands_by_a_float(blocks: Sequence[Block], index: int) -> bool:
    beyond = (*reversed(blocks[:index]), None), (*blocks[index + 1 :], None)
    return any(_first_not_caption(side) in FLOAT_KINDS for side in beyond)


def _first_not_caption(blocks: Iterable[Block | None]) -> RegionKind | None:
    kinds = (block.region.kind if block else None for block in blocks)
    return next(kind for kind in kinds if kind not in CAPTION_KINDS)


def _move_caption(blocks: list[Block], caption: Block) -> None:
    floats = [
        block for block in blocks if block.region.kind in FLOAT_KINDS and _above_or_below(block, caption)
    ]
    nearest = min(floats, key=lambda block: _gap(block, caption), default=None)
    if nearest is None or _gap(nearest, caption) > _REACH * line_height(caption):
        return
    blocks.remove(caption)
    is_below = caption.region.box.center[1] > nearest.region.box.center[1]
    blocks.insert(blocks.index(nearest) + is_below, caption)


def _above_or_below(block: Block, caption: Block) -> bool:
    a, b = block.region.box, caption.region.box
    return min(a.right, b.right) > max(a.left, b.left)


def _gap(block: Block, caption: Block) -> float:
    a, b = block.region.box, caption.region.box
    return max(0.0, b.top - a.bottom, a.top - b.bottom)
