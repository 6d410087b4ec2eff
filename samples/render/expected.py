"""The Markdown that a perfect reading of a sample gives."""

from pathlib import Path

from arcscribe.types import RegionKind
from samples.render.truth import LEFT_OUT, WORDLESS, Rows, TruthBlock, TruthPage

PREFIXES = {RegionKind.DOC_TITLE: "# ", RegionKind.PARAGRAPH_TITLE: "## "}


def pipe_table(rows: Rows) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def block_to_markdown(block: TruthBlock, page: int) -> str:
    """One block; empty where the Markdown leaves it out."""
    if block.kind is RegionKind.SEAL or block.kind in WORDLESS:
        return f"![{block.kind.value}](page-{page}-{block.kind.value}.png)"
    if block.kind in LEFT_OUT:
        return ""
    if block.kind is RegionKind.TABLE:
        return pipe_table(block.rows) if block.rows else block.html
    return PREFIXES.get(block.kind, "") + block.text.replace("\n", "  \n")


def to_markdown(pages: tuple[TruthPage, ...]) -> str:
    """The document, a blank line between blocks."""
    blocks = (block_to_markdown(b, n) for n, page in enumerate(pages, start=1) for b in page.blocks)
    return "\n\n".join(text for text in blocks if text) + "\n"


def write_expected(path: Path, pages: tuple[TruthPage, ...]) -> None:
    path.write_text(to_markdown(pages), encoding="utf-8")
