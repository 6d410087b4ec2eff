"""Running headers and footers: lines that repeat at the edges of the pages, whatever layout called them."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from statistics import median

from arcscribe.document import ParsedPage
from arcscribe.types import Block, RegionFailure, RegionKind, TextFormat
from orchestrator.flow import MARGIN_KINDS, TITLE_KINDS, line_height

_EDGE = 0.12  # of the page's height, above and below
_LONGEST = 120  # characters
_SHARE = 0.4  # of the pages: left and right pages often have different headers
_FEWEST = 3  # pages
_ALIKE = 0.85  # of the characters, for what was misread on one page
_SAME_PLACE = 0.03  # of the page's height
_LARGER = 1.3  # times the height of the others: the title itself, not its repetition

_SUSPECTS = frozenset(
    {
        RegionKind.TEXT,
        RegionKind.DOC_TITLE,
        RegionKind.PARAGRAPH_TITLE,
        RegionKind.HEADER,
        RegionKind.FOOTER,
        RegionKind.NUMBER,
    }
)


@dataclass(frozen=True, slots=True)
class _Line:
    page: int
    block: Block
    top: bool
    center: float
    """As a share of the page's height."""
    height: float
    """Likewise."""
    text: str
    key: str


def mark_running(pages: Sequence[ParsedPage]) -> tuple[ParsedPage, ...]:
    """The pages, with the kind header, footer or number for what repeats at their edges.

    What repeats is the same text but for digits and for what may have been misread, in the same place.
    Titles that differ in their number only (`Article 1`, `Article 2`) stay titles, and so does the title of
    the document that the headers repeat.
    """
    lines = [line for index, page in enumerate(pages) for line in _edge_lines(index, page)]
    marked: dict[int, dict[int, RegionKind]] = defaultdict(dict)
    for group in _groups(lines):
        if _repeats(group, len(pages)):
            for line in _running(group):
                marked[line.page][line.block.region.id] = _kind(line)
    return tuple(_marked(page, marked.get(index, {})) for index, page in enumerate(pages))


def _edge_lines(index: int, page: ParsedPage) -> list[_Line]:
    lines = []
    for block in page.blocks:
        result = block.result
        if block.region.kind not in _SUSPECTS or isinstance(result, RegionFailure):
            continue
        center = block.region.box.center[1] / max(page.height, 1)
        text = "".join(result.text.split())
        is_short = 0 < len(text) <= _LONGEST and len(block.region.lines) <= 2
        if is_short and result.format is TextFormat.PLAIN and not _EDGE < center < 1 - _EDGE:
            key = re.sub(r"\d+", "#", text.lower())
            height = line_height(block) / max(page.height, 1)
            lines.append(_Line(index, block, center <= _EDGE, center, height, text, key))
    return lines


def _groups(lines: Sequence[_Line]) -> list[list[_Line]]:
    """Lines that say the same, at the same edge; rare ones join the frequent ones that they nearly equal."""
    exact: dict[tuple[bool, str], list[_Line]] = defaultdict(list)
    for line in lines:
        exact[line.top, line.key].append(line)
    by_size = sorted(exact.items(), key=lambda item: -len(item[1]))
    frequent = {key: list(group) for key, group in by_size if len(group) > 1}
    for (top, key), group in by_size:
        if len(group) == 1:
            near = next((other for other in frequent if other[0] == top and _is_alike(key, other[1])), None)
            if near is not None:
                frequent[near] += group
    return list(frequent.values())


def _is_alike(one: str, other: str) -> bool:
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return (
        matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE
    )


def _repeats(group: Sequence[_Line], page_count: int) -> bool:
    pages = {line.page for line in group}
    if len(pages) < max(_FEWEST, _SHARE * page_count):
        return False
    are_titles = sum(line.block.region.kind in TITLE_KINDS for line in group) * 2 > len(group)
    return not (are_titles and len({line.text for line in group}) == len(group) and "#" in group[0].key)


def _running(group: Sequence[_Line]) -> list[_Line]:
    """The lines of a group but for those in another place or of another size."""
    place, size = median(line.center for line in group), median(line.height for line in group)
    return [
        line
        for line in group
        if abs(line.center - place) <= _SAME_PLACE
        and line.height <= size * _LARGER
        and not (line.page == 0 and line.block.region.kind is RegionKind.DOC_TITLE)
    ]


def _kind(line: _Line) -> RegionKind:
    if line.block.region.kind in MARGIN_KINDS:
        return line.block.region.kind
    if not re.sub(r"[#第页頁共page\W_]|of", "", line.key):
        return RegionKind.NUMBER
    return RegionKind.HEADER if line.top else RegionKind.FOOTER


def _marked(page: ParsedPage, kinds: Mapping[int, RegionKind]) -> ParsedPage:
    """The page, its regions with those kinds by their ids."""
    blocks = tuple(
        replace(block, region=replace(block.region, kind=kinds.get(block.region.id, block.region.kind)))
        for block in page.blocks
    )
    return replace(page, blocks=blocks) if kinds else page
