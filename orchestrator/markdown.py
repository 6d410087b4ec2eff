"""The flow of a document written as Markdown."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from arcscribe.document import MarkdownOptions, PageFailure, PictureMode, TableFormat
from arcscribe.types import FinishReason, RegionFailure, RegionKind, TextFormat
from orchestrator.escaping import escape_alternative, escape_heading, escape_latex, escape_lines
from orchestrator.flow import WORDLESS_KINDS, Placed
from orchestrator.lists import Lines, follows, split_items
from orchestrator.table_parser import parse_table
from orchestrator.tables import to_gfm, to_html

_BREAK = "  \n"
_LIST_KINDS = frozenset({RegionKind.TEXT, RegionKind.CONTENT, RegionKind.ABSTRACT})


@dataclass(frozen=True, slots=True)
class Chunk:
    """One block of Markdown; where it is an item of a list, `mark` is its marker."""

    text: str
    mark: str = ""


def page_break(number: int) -> Chunk:
    return Chunk(f"<!-- page {number} -->")


def failed_page(number: int, failure: PageFailure) -> Chunk:
    """A notice that shows in rendered Markdown, and a comment for programs."""
    return _notice(f"page {number} could not be parsed", failure.reason)


def joined(chunks: Sequence[Chunk]) -> str:
    """The Markdown of a document; it ends in a line break, unless there is nothing."""
    parts: list[str] = []
    before = Chunk("")
    for chunk in chunks:
        parts += [_between(before, chunk) if parts else "", chunk.text]
        before = chunk
    return "".join([*parts, "\n"]) if parts else ""


def _between(before: Chunk, chunk: Chunk) -> str:
    """An empty line; none inside a list; a comment where Markdown would go on counting in the list before."""
    if not (before.mark and chunk.mark):
        return "\n\n"
    if follows(chunk.mark, before.mark):
        return "\n"
    is_same_list = (
        chunk.mark[:1].isdigit() and before.mark[:1].isdigit() and chunk.mark[-1] == before.mark[-1]
    )
    return "\n\n<!-- -->\n\n" if is_same_list else "\n\n"


def write_block(
    placed: Placed, level: int, options: MarkdownOptions, pictures: Mapping[str, bytes]
) -> list[Chunk]:
    """A block as Markdown; `level` is that of a title, and 0 for all else."""
    result = placed.block.result
    if isinstance(result, RegionFailure):
        return [_notice(f"{_where(placed)} could not be read", result.reason)]
    chunks = _written(placed, level, options, pictures)
    if result.finish_reason is not FinishReason.STOP:
        chunks.append(Chunk(f"<!-- {_where(placed)} may be incomplete: {result.finish_reason.upper()} -->"))
    return chunks


def _written(
    placed: Placed, level: int, options: MarkdownOptions, pictures: Mapping[str, bytes]
) -> list[Chunk]:
    if placed.format is TextFormat.NONE:
        return _picture(placed, options, pictures)
    return _readable(placed, level, options) if placed.text else _unread(placed)


def _readable(placed: Placed, level: int, options: MarkdownOptions) -> list[Chunk]:
    match placed.format, placed.kind:
        case TextFormat.LATEX, _:
            return [_formula(placed.text)]
        case TextFormat.HTML, _:
            return _table(placed.text, options.table_format)
        case _, RegionKind.DOC_TITLE | RegionKind.PARAGRAPH_TITLE:
            return [Chunk(f"{'#' * level} {escape_heading(placed.text)}")]
        case _, RegionKind.ALGORITHM:
            return [_code(placed.text)]
    return _text(placed.text, may_be_list=placed.kind in _LIST_KINDS)


def _where(placed: Placed) -> str:
    return f"region {placed.block.region.id} ({placed.kind}) on page {placed.page.number}"


def _notice(what: str, reason: str) -> Chunk:
    word = re.sub(r"[^A-Za-z0-9_]", "", reason)
    return Chunk(f"<!-- {what}: {word} -->\n\n> **[{what}: {word}]**")


def _unread(placed: Placed) -> list[Chunk]:
    """A region with lines in which an engine read nothing leaves a comment; without lines, it was a speck."""
    return [Chunk(f"<!-- {_where(placed)} was read as empty -->")] if placed.block.region.lines else []


def _text(text: str, may_be_list: bool = False) -> list[Chunk]:
    paragraphs = [part for part in re.split(r"\n\n+", text) if part]
    parts = [part for text in paragraphs for part in split_items(text)] if may_be_list else []
    return [_item(part) for part in parts] or [_item(Lines("", tuple(p.split("\n")))) for p in paragraphs]


def _item(item: Lines) -> Chunk:
    lines = escape_lines("\n".join(item.lines))
    if not item.mark:
        return Chunk(_BREAK.join(lines))
    indent = " " * (len(item.mark) + 1)
    return Chunk(f"{item.mark} " + f"{_BREAK}{indent}".join(lines), item.mark)


def _formula(latex: str) -> Chunk:
    body = "\n".join(line for line in latex.replace("$", "").split("\n") if line)
    return Chunk(f"$$\n{escape_latex(body)}\n$$")


def _code(text: str) -> Chunk:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return Chunk(f"{fence}\n{text}\n{fence}")


def _table(source: str, table_format: TableFormat) -> list[Chunk]:
    table = parse_table(source)
    if table is None:
        return _text(source)
    is_gfm = table_format is TableFormat.GFM and not table.has_spans
    return [Chunk(to_gfm(table) if is_gfm else to_html(table))]


def _picture(placed: Placed, options: MarkdownOptions, pictures: Mapping[str, bytes]) -> list[Chunk]:
    name, mode = placed.block.picture, options.picture_mode
    if mode is PictureMode.NONE and placed.kind in WORDLESS_KINDS:
        return []
    if mode is PictureMode.NONE or not name:
        return _text(_alternative(placed))
    target = _data_uri(pictures[name]) if mode is PictureMode.INLINE else _link(options.picture_folder, name)
    return [Chunk(f"![{escape_alternative(_alternative(placed) or placed.kind)}]({target})")]


def _link(folder: str, name: str) -> str:
    return quote(f"{folder.rstrip('/')}/{name}" if folder else name, safe="/:.~")


def _alternative(placed: Placed) -> str:
    """What a picture says; of a seal also that it is one."""
    is_seal = placed.kind is RegionKind.SEAL
    return f"seal: {placed.text}" if is_seal and placed.text else placed.text


def _data_uri(data: bytes) -> str:
    media_type = "image/jpeg" if data.startswith(b"\xff\xd8") else "image/png"
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"
