"""From what was found on a page to its parts."""

from collections.abc import Sequence

from arcscribe.types import Box, RgbImage, TextLine
from layout_stage.fusion.blocks import find_blocks
from layout_stage.fusion.kinds import PageFacts, to_parts
from layout_stage.fusion.labels import LineLabels
from layout_stage.fusion.pictures import find_pictures
from layout_stage.fusion.prose import prose_lines
from layout_stage.fusion.seals import find_seals
from layout_stage.fusion.tables import TableEvidence, find_tables
from layout_stage.parts import PageSize, Part, typical_thickness
from layout_stage.postprocess import LayoutBox
from layout_stage.ruling_lines import Rules, find_grids, find_rules, ink_of
from layout_stage.text_lines import merge_pieces, without_nested


def fuse(
    image: RgbImage, found: Sequence[TextLine], boxes: Sequence[LayoutBox]
) -> tuple[list[Part], Rules, float]:
    """The parts of a page in no order; each line that was found is in exactly one, pieces of a line joined.

    Returns:
        the parts, the page's ruling lines, and the height of its text in pixels.
    """
    lines = without_nested(found)
    em = typical_thickness(lines)
    ink = ink_of(image)
    rules = find_rules(ink, lines, em)
    prose = prose_lines(lines)
    seals = find_seals(image, lines)
    rest = _rest(lines, seals)
    tables = find_tables(TableEvidence(rest, prose, tuple(boxes), rules, find_grids(rules, 4.0), em))
    rest = _rest(rest, tables)
    pictures = [p for p in find_pictures(rest, prose, boxes, ink) if not _is_in(p.box, [*tables, *seals])]
    rest = _rest(rest, pictures)
    objects = [*seals, *tables, *pictures]
    size = PageSize(image.shape[1], image.shape[0])
    return [*objects, *_texts(rest, boxes, rules, objects, size, em)], rules, em


def _texts(
    lines: Sequence[TextLine],
    boxes: Sequence[LayoutBox],
    rules: Rules,
    objects: Sequence[Part],
    size: PageSize,
    em: float,
) -> list[Part]:
    whole = merge_pieces(lines)
    labels = LineLabels(whole, boxes)
    areas = tuple(part.box for part in objects)
    blocks = find_blocks(whole, [*rules.horizontal, *areas], labels.label)
    return to_parts(blocks, labels, PageFacts(size, em, areas, rules.horizontal))


def _rest(lines: Sequence[TextLine], parts: Sequence[Part]) -> tuple[TextLine, ...]:
    taken = {line for part in parts for line in part.lines}
    return tuple(line for line in lines if line not in taken)


def _is_in(box: Box, parts: Sequence[Part]) -> bool:
    return any(box.coverage_by(p.box) > 0.5 or p.box.coverage_by(box) > 0.7 for p in parts)
