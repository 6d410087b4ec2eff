"""From what was found on a page to its parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from arcscribe.types import Box, RegionKind, RgbImage, TextLine
from layout_stage.cdla_boxes import LayoutBox
from layout_stage.fusion.appearance import bold_lines, looks_of, tilted_lines, typical_size
from layout_stage.fusion.blocks import find_blocks
from layout_stage.fusion.formulas import find_formulas
from layout_stage.fusion.kinds import to_parts
from layout_stage.fusion.labels import LineLabels
from layout_stage.fusion.page_facts import PageFacts
from layout_stage.fusion.pictures import find_drawings, find_pictures
from layout_stage.fusion.prose import prose_lines
from layout_stage.fusion.style import Style
from layout_stage.fusion.table_evidence import TableEvidence
from layout_stage.fusion.tables import find_tables
from layout_stage.ink import Ink
from layout_stage.line_pieces import merge_pieces
from layout_stage.parts import PageSize, Part, middle, thickness, typical_thickness
from layout_stage.ruling_lines import Rules, find_grids, find_rules
from layout_stage.text_lines import split_at_gutters, without_nested

_TOUCHING = 4.0
"""Pixels between ruling lines of one grid where they should meet."""
_USUAL_LEADING = 0.4
"""Heights of text between the lines of a page without running text."""
_PART, _WHOLE = 0.5, 0.7
"""Of a picture lies in a table or seal that it is a part of, and of those in a picture that holds them."""


def fuse(
    image: RgbImage, found: Sequence[TextLine], boxes: Sequence[LayoutBox], seals: Sequence[Part]
) -> tuple[list[Part], Rules]:
    """The parts of a page in no order; each line that was found is in exactly one, pieces of a line joined.

    Args:
        image: the page, upright and level.
        found: its text lines, without those of its seals.
        boxes: what the layout network saw.
        seals: the page's seals.

    Returns:
        the parts, and the page's ruling lines.
    """
    lines = without_nested(found)
    tilted = tilted_lines(lines)
    em = typical_thickness([line for line in lines if line not in tilted])
    ink = Ink.of(image, em)
    lines = split_at_gutters(lines, ink)
    rules = find_rules(ink, lines, em)
    page = _Page(PageSize(image.shape[1], image.shape[0]), em, rules, ink, tilted)
    objects = _objects(lines, boxes, [part.box for part in seals], page)
    whole = merge_pieces(_rest(lines, objects))
    formulas = find_formulas(whole, prose_lines(whole, rules.horizontal), boxes, em)
    objects = [*seals, *objects, *formulas]
    return [*objects, *_texts(_rest(whole, formulas), boxes, objects, page)], rules


def paragraphs_beside(
    image: RgbImage, lines: Sequence[TextLine], every: Sequence[TextLine], parts: Sequence[Part]
) -> list[Part]:
    """Lines that are in none of a page's parts as paragraphs of their kinds, which cross no part.

    Args:
        image: the page, upright and level, without its seals.
        lines: those that are in no part, pieces of a line joined.
        every: all lines of the page.
        parts: what the page has.
    """
    if not lines:
        return []
    em = typical_thickness(every)
    ink = Ink.of(image, em)
    size = PageSize(image.shape[1], image.shape[0])
    page = _Page(size, em, find_rules(ink, every, em), ink, tilted_lines(lines))
    return _texts(lines, (), parts, page)


@dataclass(frozen=True, slots=True, eq=False)
class _Page:
    """What all steps know of the page."""

    size: PageSize
    em: float
    """The height of its text, in pixels."""
    rules: Rules
    ink: Ink
    tilted: frozenset[TextLine]


def _objects(
    lines: Sequence[TextLine], boxes: Sequence[LayoutBox], seals: Sequence[Box], page: _Page
) -> list[Part]:
    """The tables, pictures and drawings of a page."""
    level = [line for line in lines if line not in page.tilted]
    prose = prose_lines(level, page.rules.horizontal)
    grids = find_grids(page.rules, _TOUCHING)
    evidence = TableEvidence(tuple(lines), prose, tuple(boxes), page.rules, grids, tuple(seals), page.em)
    tables = find_tables(evidence)
    rest = _rest(lines, tables)
    taken = [*seals, *(part.box for part in tables)]
    pictures = [part for part in find_pictures(rest, prose, boxes, page.ink) if not _is_in(part.box, taken)]
    taken += [part.box for part in pictures]
    drawings = find_drawings(_rest(rest, pictures), prose, taken, page.ink, page.em)
    return [*tables, *pictures, *drawings]


def _texts(
    lines: Sequence[TextLine], boxes: Sequence[LayoutBox], objects: Sequence[Part], page: _Page
) -> list[Part]:
    """What is left once all objects are found: paragraphs of their kinds."""
    labels = LineLabels(lines, boxes)
    looks = looks_of(lines, page.ink)
    bold = bold_lines(looks)
    styles = {
        line: Style(
            "tilted" if line in page.tilted else labels.label(line), line in bold, look.size, thickness(line)
        )
        for line, look in looks.items()
    }
    prose = prose_lines(lines, page.rules.horizontal)
    areas = tuple(part.box for part in objects)
    blocks = find_blocks(lines, [*page.rules.horizontal, *areas], styles)
    gaps = [b.box.top - a.box.bottom for block in blocks for a, b in pairwise(block) if a in prose]
    facts = PageFacts(
        page.size,
        page.em,
        middle(gaps, _USUAL_LEADING * page.em),
        areas,
        tuple(part.box for part in objects if part.kind is RegionKind.TABLE),
        tuple(part.box for part in objects if part.kind in (RegionKind.IMAGE, RegionKind.CHART)),
        page.rules.horizontal,
        tuple(line.box for line in lines if line in prose and not line.vertical),
        typical_size(looks),
        styles,
        page.tilted,
    )
    return to_parts(blocks, labels, facts)


def _rest(lines: Sequence[TextLine], parts: Sequence[Part]) -> tuple[TextLine, ...]:
    taken = {line for part in parts for line in part.lines}
    return tuple(line for line in lines if line not in taken)


def _is_in(box: Box, others: Sequence[Box]) -> bool:
    """Whether a picture is a part of something else, or holds most of it."""
    return any(box.coverage_by(other) > _PART or other.coverage_by(box) > _WHOLE for other in others)
