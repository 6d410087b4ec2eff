"""A parsed document as JSON."""

from collections.abc import Iterable

import msgspec

from arcscribe.document import AssembledMarkdown, Document, ParsedPage
from arcscribe.types import Block, Box, Point, RegionFailure, RegionText


def to_json(document: Document, assembled: AssembledMarkdown) -> bytes:
    """The document as UTF-8 JSON: every page and block, the outline and the line counts.

    The names of the keys are part of the public interface; coordinates are pixels, rounded to 0.01.
    """
    of_pages = [
        {"page_number": page.number, "counts": counts}
        for page, counts in zip(document.pages, assembled.line_counts, strict=True)
    ]
    tree = {
        "name": document.name,
        "page_count": document.page_count,
        "pages": [_page(page) for page in document.pages],
        "outline": assembled.outline,
        "line_counts": {"total": assembled.total, "pages": of_pages},
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
        "draft_tokens": result.draft_tokens,
        "spotted": [{"text": line.text, "polygon": _polygon(line.polygon)} for line in result.spotted],
        "failure": None,
    }


def _box(box: Box) -> list[float]:
    """[left, top, right, bottom]"""
    return [round(value, 2) for value in (box.left, box.top, box.right, box.bottom)]


def _polygon(points: Iterable[Point]) -> list[list[float]]:
    return [[round(x, 2), round(y, 2)] for x, y in points]
