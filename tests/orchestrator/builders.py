"""Blocks and pages for tests, as short as they can be said."""

from collections.abc import Sequence
from typing import Any

from arcscribe.document import Document, ParsedPage
from arcscribe.types import (
    Block,
    Box,
    FinishReason,
    Region,
    RegionFailure,
    RegionKind,
    RegionText,
    TextFormat,
    TextLine,
)

WIDTH, HEIGHT = 1000, 1400
LINE = 20.0
PLACE = Box(100, 300, 900, 340)


def text_result(text: str, text_format: TextFormat = TextFormat.PLAIN, **more: Any) -> RegionText:
    values: dict[str, Any] = {
        "finish_reason": FinishReason.STOP,
        "engine": "e",
        "model": "m",
        "milliseconds": 1.0,
    }
    return RegionText(text, text_format, **(values | more))


def block(
    text: str = "",
    kind: RegionKind = RegionKind.TEXT,
    box: Box = PLACE,
    *,
    region_id: int = 1,
    text_format: TextFormat = TextFormat.PLAIN,
    lines: int | Sequence[Box] = 1,
    result: RegionText | RegionFailure | None = None,
    picture: str = "",
) -> Block:
    """A block whose lines fill its box from top to bottom, unless they are given."""
    if isinstance(lines, int):
        step = box.height / max(lines, 1)
        lines = [Box(box.left, box.top + i * step, box.right, box.top + (i + 1) * step) for i in range(lines)]
    found = tuple(TextLine(line, line.to_polygon(), 0.9) for line in lines)
    region = Region(region_id, kind, kind.value, 0.9, box, lines=found)
    return Block(region, result or text_result(text, text_format), picture)


def column(*blocks: Block, top: float = 200.0) -> tuple[Block, ...]:
    """Blocks with ids from 1, for tests in which their place does not matter: one below the other."""
    placed = []
    for number, item in enumerate(blocks, start=1):
        region = item.region
        dy = top + 60 * (number - 1) - region.box.top
        lines = tuple(
            TextLine(line.box.shifted(0, dy), line.box.shifted(0, dy).to_polygon(), line.score)
            for line in region.lines
        )
        moved = Region(
            number, region.kind, region.label, region.score, region.box.shifted(0, dy), lines=lines
        )
        placed.append(Block(moved, item.result, item.picture))
    return tuple(placed)


def page(number: int, *blocks: Block, **more: Any) -> ParsedPage:
    return ParsedPage(number, WIDTH, HEIGHT, 0, blocks, **more)


def document(*pages: ParsedPage) -> Document:
    return Document("test.pdf", len(pages), pages)


def title(text: str, height: float = LINE, kind: RegionKind = RegionKind.PARAGRAPH_TITLE) -> Block:
    return block(text, kind, Box(100, 300, 900, 300 + height))
