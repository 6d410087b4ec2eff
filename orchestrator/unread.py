"""Documents whose regions are found and not read."""

from arcscribe.document import AssembledMarkdown, Document, LineCounts
from arcscribe.types import Block, FinishReason, PageLayout, RegionText, TextFormat

_UNREAD = RegionText("", TextFormat.NONE, FinishReason.STOP, engine="", model="", milliseconds=0.0)


def unread(layout: PageLayout) -> tuple[Block, ...]:
    """The blocks of a page whose regions nobody reads, in reading order."""
    return tuple(Block(region, _UNREAD) for region in layout.regions)


def unread_markdown(document: Document) -> AssembledMarkdown:
    """No Markdown: all text lines that were found are left out of it."""
    found = [sum(len(block.region.lines) for block in page.blocks) for page in document.pages]
    return AssembledMarkdown("", (), tuple(LineCounts(found=count, left_out=count) for count in found))
