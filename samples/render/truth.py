"""Exact ground truth: what a sample says, block by block in reading order."""

import html
import json
from dataclasses import dataclass
from pathlib import Path

from arcscribe.types import Box, RegionKind

Rows = tuple[tuple[str, ...], ...]

LEFT_OUT = frozenset((RegionKind.HEADER, RegionKind.FOOTER, RegionKind.NUMBER, RegionKind.SEAL))
"""Kinds that the Markdown does not hold."""
WORDLESS = frozenset((RegionKind.IMAGE, RegionKind.CHART))
"""Kinds that stay pictures."""


@dataclass(frozen=True, slots=True)
class TruthBlock:
    """One region of a page; `rows` holds a table without spans, `html` any table, `text` everything else."""

    kind: RegionKind
    box: Box
    text: str = ""
    rows: Rows = ()
    html: str = ""


@dataclass(frozen=True, slots=True)
class TruthPage:
    """A page's size in pixels at 200 dpi and its blocks in reading order."""

    width: int
    height: int
    blocks: tuple[TruthBlock, ...]


def rows_to_html(rows: Rows) -> str:
    body = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{cells}</tr>" for cells in body) + "</table>"


def block_to_json(block: TruthBlock) -> dict[str, object]:
    box = [round(v) for v in (block.box.left, block.box.top, block.box.right, block.box.bottom)]
    content: object = [list(row) for row in block.rows] if block.rows else block.html or block.text
    return {"label": block.kind.value, "text": content, "box": box}


def page_to_json(page: TruthPage) -> dict[str, object]:
    blocks = [block_to_json(block) for block in page.blocks]
    return {"width": page.width, "height": page.height, "blocks": blocks}


def truth_to_json(pages: tuple[TruthPage, ...]) -> dict[str, object]:
    """The truth file: `pages`, and the same flattened to what a scorer compares.

    `text` is what the Markdown must say outside tables; `left_out` what it must not: running headers, page
    numbers, seals. Boxes are [left, top, right, bottom] in pixels of the clean page at 200 dpi; a scan of
    the page is turned by up to a degree about its centre.
    """
    blocks = [block for page in pages for block in page.blocks]
    apart = LEFT_OUT | WORDLESS | {RegionKind.TABLE}
    return {
        "dpi": 200,
        "pages": [page_to_json(page) for page in pages],
        "text": "\n\n".join(b.text for b in blocks if b.kind not in apart),
        "tables": [b.html or rows_to_html(b.rows) for b in blocks if b.kind is RegionKind.TABLE],
        "left_out": [b.text for b in blocks if b.kind in LEFT_OUT],
    }


def write_truth(path: Path, pages: tuple[TruthPage, ...]) -> None:
    path.write_text(json.dumps(truth_to_json(pages), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
