"""The regions of a document as a table of plain text."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from arcscribe.async_client import Parsed
from arcscribe.document import ParsedPage
from arcscribe.tools.errors import printable
from arcscribe.types import Block

HEAD = ("", "kind", "label", "score", "left", "top", "right", "bottom", "lines")
NAMES = 2
"""Of the columns are names, which stand at the left; the others are numbers."""


def to_text(parsed: Parsed) -> bytes:
    """A table for each page, UTF-8: its regions in reading order, boxes in pixels of the upright page."""
    return "\n".join(_page(page) for page in parsed.document.pages).encode()


def _page(page: ParsedPage) -> str:
    if page.failure:
        return f"page {page.number}: failed, {page.failure.reason}: {page.failure.message}\n"
    model = page.layout_model
    by = f", by {model.name} with {model.engine} on {model.device}" if model else ""
    milliseconds = sum(value for _, value in page.timings_ms)
    turn = f", turned by {page.rotation} degrees" if page.rotation else ""
    size = f"{page.width} x {page.height} pixels"
    title = f"page {page.number}: {size}{turn}{by}, {milliseconds:.0f} ms"
    rows = [HEAD, *(_row(order, block) for order, block in enumerate(page.blocks, start=1))]
    return "\n".join([title, *_aligned(rows), ""])


def _row(order: int, block: Block) -> tuple[str, ...]:
    region = block.region
    box = (f"{value:.0f}" for value in (region.box.left, region.box.top, region.box.right, region.box.bottom))
    label = printable(region.label)
    return str(order), region.kind, label, f"{region.score:.2f}", *box, str(len(region.lines))


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for order, *cells in rows:
        padded = [order.rjust(widths[0])]
        for place, (cell, width) in enumerate(zip(cells, widths[1:], strict=True)):
            gap = " " * (width - cell_len(cell))
            padded.append(cell + gap if place < NAMES else gap + cell)
        yield "  ".join(padded).rstrip()
