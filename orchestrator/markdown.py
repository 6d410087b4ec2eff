"""The flow of a document written as Markdown."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from arcscribe.document import MarkdownOptions, PageFailure, PictureMode, TableFormat
from arcscribe.types import FinishReason, RegionFailure, RegionKind, TextFormat
from orchestrator.escaping import escape_alternative, escape_formula_lines, escape_heading, escape_lines
from orchestrator.flow import WORDLESS_KINDS, Placed
from orchestrator.lists import Lines, follows, split_items
from orchestrator.table_parser import parse_table
from orchestrator.tables import to_gfm, to_html

_BREAK = "  \n"
_BARE_DOLLAR = re.compile(r"(?<!\\)\$")
"""One that is not `\\$`, the sign: it would end the formula."""
_BOX = re.compile(r"\A\[(?=[ xX]\](?:\s|\Z))")
"""Of an item that begins with a box GitHub makes a task."""
_LIST_KINDS = frozenset({RegionKind.TEXT, RegionKind.CONTENT, RegionKind.ABSTRACT})


@dataclass(frozen=True, slots=True)
class Fragment:
    """One block of Markdown, as CommonMark calls it; where it is an item of a list, `mark` is its marker."""

    text: str
    mark: str = ""


def page_break(number: int) -> Fragment:
    return Fragment(f"<!-- page {number} -->")


def failed_page(number: int, failure: PageFailure) -> Fragment:
    """A notice that shows in rendered Markdown, and a comment for programs."""
    return _notice(f"page {number} could not be parsed", failure.reason)


def joined(fragments: Sequence[Fragment]) -> str:
    """The Markdown of a document; it ends in a line break, unless there is nothing."""
    parts: list[str] = []
    before = Fragment("")
    for fragment in fragments:
        parts += [_between(before, fragment) if parts else "", fragment.text]
        before = fragment
    return "".join([*parts, "\n"]) if parts else ""


def _between(before: Fragment, fragment: Fragment) -> str:
    """An empty line; none inside a list; a comment where Markdown would go on counting in the list before."""
    if not (before.mark and fragment.mark):
        return "\n\n"
    if follows(fragment.mark, before.mark):
        return "\n"
    is_same_list = (
        fragment.mark[:1].isdigit() and before.mark[:1].isdigit() and fragment.mark[-1] == before.mark[-1]
    )
    return "\n\n<!-- -->\n\n" if is_same_list else "\n\n"


def write_block(
    placed: Placed, level: int, options: MarkdownOptions, pictures: Mapping[str, bytes]
) -> list[Fragment]:
    """A block as Markdown; `level` is that of a title, and 0 for all else."""
    result = placed.block.result
    if isinstance(result, RegionFailure):
        return [_notice(f"{_where(placed)} could not be read", result.reason)]
    fragments = _written(placed, level, options, pictures)
    if result.finish_reason is not FinishReason.STOP:
        why = result.finish_reason.upper()
        fragments.append(Fragment(f"<!-- {_where(placed)} may be incomplete: {why} -->"))
    return fragments


def _written(
    placed: Placed, level: int, options: MarkdownOptions, pictures: Mapping[str, bytes]
) -> list[Fragment]:
    if placed.format is TextFormat.NONE:
        return _picture(placed, options, pictures)
    return _readable(placed, level, options) if placed.text else _unread(placed)


def _readable(placed: Placed, level: int, options: MarkdownOptions) -> list[Fragment]:
    match placed.format, placed.kind:
        case TextFormat.LATEX, _:
            return [_formula(placed.text)]
        case TextFormat.HTML, _:
            return _table(placed.text, options.table_format)
        case _, RegionKind.DOC_TITLE | RegionKind.PARAGRAPH_TITLE:
            return [Fragment(f"{'#' * level} {escape_heading(placed.text)}")]
        case _, RegionKind.ALGORITHM:
            return [_code(placed.text)]
    return _text(placed.text, may_be_list=placed.kind in _LIST_KINDS)


def _where(placed: Placed) -> str:
    return f"region {placed.order} ({placed.kind}) on page {placed.page.number}"


def _notice(what: str, reason: str) -> Fragment:
    word = re.sub(r"[^A-Za-z0-9_]", "", reason)
    return Fragment(f"<!-- {what}: {word} -->\n\n> **[{what}: {word}]**")


def _unread(placed: Placed) -> list[Fragment]:
    """A region with lines in which an engine read nothing leaves a comment; without lines, it was a speck."""
    return [Fragment(f"<!-- {_where(placed)} was read as empty -->")] if placed.block.region.lines else []


def _text(text: str, may_be_list: bool = False) -> list[Fragment]:
    paragraphs = [part for part in re.split(r"\n\n+", text) if part]
    parts = [part for text in paragraphs for part in split_items(text)] if may_be_list else []
    return [_item(part) for part in parts] or [_item(Lines("", tuple(p.split("\n")))) for p in paragraphs]


def _item(item: Lines) -> Fragment:
    lines = escape_lines("\n".join(item.lines))
    if not item.mark:
        return Fragment(_BREAK.join(lines))
    lines[0] = _BOX.sub(r"\\[", lines[0])
    indent = " " * (len(item.mark) + 1)
    return Fragment(f"{item.mark} " + f"{_BREAK}{indent}".join(lines), item.mark)


def _formula(latex: str) -> Fragment:
    lines = escape_formula_lines(_BARE_DOLLAR.sub("", latex))
    return Fragment("\n".join(["$$", *filter(None, lines), "$$"]))


def _code(text: str) -> Fragment:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return Fragment(f"{fence}\n{text}\n{fence}")


def _table(source: str, table_format: TableFormat) -> list[Fragment]:
    table = parse_table(source)
    if table is None:
        return _text(source)
    is_gfm = table_format is TableFormat.GFM and not table.has_spans
    return [Fragment(to_gfm(table) if is_gfm else to_html(table))]


def _picture(placed: Placed, options: MarkdownOptions, pictures: Mapping[str, bytes]) -> list[Fragment]:
    name, mode = placed.block.picture, options.picture_mode
    if mode is PictureMode.NONE and placed.kind in WORDLESS_KINDS:
        return []
    if mode is PictureMode.NONE or not name:
        return _text(_alternative(placed))
    target = _data_uri(pictures[name]) if mode is PictureMode.INLINE else _link(options.picture_folder, name)
    return [Fragment(f"![{escape_alternative(_alternative(placed) or placed.kind)}]({target})")]


def _link(folder: str, name: str) -> str:
    return quote(f"{folder.rstrip('/')}/{name}" if folder else name, safe="/:.~")


def _alternative(placed: Placed) -> str:
    """What a picture says; of a seal also that it is one."""
    is_seal = placed.kind is RegionKind.SEAL
    return f"seal: {placed.text}" if is_seal and placed.text else placed.text


def _data_uri(data: bytes) -> str:
    media_type = "image/jpeg" if data.startswith(b"\xff\xd8") else "image/png"
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"
