"""What a page or column edge, or layout, cut in two: paragraphs, tables, formulas and their numbers."""

import re
from collections.abc import Sequence
from dataclasses import replace

from arcscribe.types import RegionKind, TextFormat
from orchestrator.flow import CAPTION_KINDS, FLOAT_KINDS, MARGIN_KINDS, Placed, line_height
from orchestrator.gluing import glue, is_cjk
from orchestrator.numbering import numbering_of
from orchestrator.table_parser import parse_table
from orchestrator.tables import joined_tables, to_html

_ENDS_SENTENCE = re.compile(r"""[.!?:;。！？：；…．]["'”’」』》）)\]]*$""")
_CONTINUED = re.compile(r"续\s*表|續\s*表|表.*[（(]\s*[续續]|table.*\bcont(?:inued|\.|d\b)", re.IGNORECASE)
_FULL_LINE = 1.5  # line heights that the last line before the edge may lack
_INDENT = 1.0  # line heights by which a line may stand in without beginning a paragraph
_LEADING = 0.8  # line heights between two lines of one paragraph
_WIDE = 10.0  # line heights that a line has at least, in which a sentence may break
_SAME_SIZE = 1.25  # ratio of line heights
_SAME_WIDTH = 0.1  # of the wider table, as in PaddleOCR-VL's own pipeline (paddlex 3.7.2)
_BETWEEN = MARGIN_KINDS | {RegionKind.FOOTNOTE}


def join_parts(flow: Sequence[Placed]) -> tuple[Placed, ...]:
    """The flow, with each paragraph or table that an edge cut in one piece, at the place of its first part.

    In doubt they stay apart: a paragraph that is two is less wrong than two that are one.
    """
    joined: list[Placed] = []
    for placed in flow:
        index = _predecessor(joined, placed)
        together = None if index is None else _together(joined[index], placed)
        if index is None or together is None:
            joined.append(placed)
        else:
            joined[index] = together
    return tuple(joined)


def _predecessor(joined: Sequence[Placed], placed: Placed) -> int | None:
    """What a block may belong to: the one before it, if need be beyond what may lie between."""
    skipped = _BETWEEN
    if placed.kind is RegionKind.TEXT and placed.text[:1].islower():
        skipped |= FLOAT_KINDS | CAPTION_KINDS
    for index in range(len(joined) - 1, -1, -1):
        between = joined[index]
        is_caption = placed.kind is RegionKind.TABLE and between.kind is RegionKind.TABLE_TITLE
        if is_caption and _CONTINUED.search(between.text):
            continue
        if between.kind not in skipped:
            return index
    return None


def _together(first: Placed, second: Placed) -> Placed | None:
    if first.kind is second.kind is RegionKind.TABLE:
        return _joined_table(first, second)
    if first.kind is second.kind is RegionKind.TEXT:
        return _joined_paragraph(first, second)
    if {first.kind, second.kind} == {RegionKind.FORMULA, RegionKind.FORMULA_NUMBER}:
        return _numbered_formula(first, second)
    return None


def _joined_table(first: Placed, second: Placed) -> Placed | None:
    if not _is_next_page(first, second):
        return None
    widths = [_share_of_width(first, at_end=True), _share_of_width(second)]
    if max(widths) - min(widths) > _SAME_WIDTH * max(widths):
        return None
    above, below = parse_table(first.text), parse_table(second.text)
    if above is None or below is None or not first.format is second.format is TextFormat.HTML:
        return None
    together = joined_tables(above, below)
    return None if together is None else first.followed_by(second, to_html(together))


def _share_of_width(placed: Placed, at_end: bool = False) -> float:
    page, block = placed.end if at_end else (placed.page, placed.block)
    return block.region.box.width / max(page.width, 1)


def _joined_paragraph(first: Placed, second: Placed) -> Placed | None:
    if not first.format is second.format is TextFormat.PLAIN or not first.text or not second.text:
        return None
    if not (_is_next_page(first, second) or _is_next_column(first, second) or _is_next_line(first, second)):
        return None
    heights = sorted((line_height(first.end[1]), line_height(second.block)))
    if heights[1] > heights[0] * _SAME_SIZE or _ENDS_SENTENCE.search(first.text):
        return None
    if numbering_of(second.text) or not _goes_on(first, second):
        return None
    return first.followed_by(second, glue(first.text, second.text))


def _goes_on(first: Placed, second: Placed) -> bool:
    """Whether the second begins in mid-sentence, by its letter or, in CJK, by how the lines lie."""
    if second.text[0].islower():
        return True
    if not (is_cjk(first.text[-1]) and is_cjk(second.text[0])):
        return False
    return _ends_full(first) and _begins_flush(second)


def _ends_full(placed: Placed) -> bool:
    """Whether the last line reaches the right edge of its block, as no last line of a paragraph must."""
    block = placed.end[1]
    lines = block.region.lines
    reach = block.region.box.right - _FULL_LINE * line_height(block)
    return len(lines) > 1 and not lines[0].vertical and lines[-1].box.right >= reach


def _begins_flush(placed: Placed) -> bool:
    """Whether the first line begins at the left edge, as that of a Chinese paragraph does not."""
    region = placed.block.region
    edge = region.box.left + _INDENT * line_height(placed.block)
    return len(region.lines) > 1 and region.lines[0].box.left <= edge


def _is_next_page(first: Placed, second: Placed) -> bool:
    return second.page.number == first.end[0].number + 1


def _is_next_column(first: Placed, second: Placed) -> bool:
    """Whether the second stands to the right of the first, and begins higher than it ends."""
    if first.end[0].number != second.page.number:
        return False
    a, b = first.end[1].region.box, second.block.region.box
    return b.left >= a.right - line_height(second.block) and b.top < a.bottom - line_height(second.block)


def _is_next_line(first: Placed, second: Placed) -> bool:
    """Whether the second, which must not begin a sentence, goes on right below a line that is full."""
    if first.end[0].number != second.page.number or not second.text[0].islower():
        return False
    height, a, b = line_height(second.block), first.end[1].region.box, second.block.region.box
    lines = first.end[1].region.lines
    last = lines[-1].box if lines else a
    is_full = last.right >= max(a.right, b.right) - _FULL_LINE * height and last.width >= _WIDE * height
    is_below = -0.5 * height <= b.top - a.bottom <= _LEADING * height
    return is_full and is_below and abs(a.left - b.left) <= height


def _numbered_formula(first: Placed, second: Placed) -> Placed | None:
    """A formula and the number that stands in its row."""
    formula, number = (first, second) if first.kind is RegionKind.FORMULA else (second, first)
    a, b = formula.block.region.box, number.block.region.box
    in_row = min(a.bottom, b.bottom) - max(a.top, b.top) > 0.5 * min(a.height, b.height)
    same_page = formula.page.number == number.page.number
    tag = number.text.strip(" ()（）$")
    if not (in_row and same_page and formula.format is TextFormat.LATEX and tag) or "\\tag" in formula.text:
        return None
    return replace(formula, text=f"{formula.text} \\tag{{{_latex_text(tag)}}}")


def _latex_text(text: str) -> str:
    return re.sub(r"[^\w.\-,'* ]", "", text)
