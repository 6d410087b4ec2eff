"""What kind of region a paragraph is, by the network's word for it, its size and its place on the page."""

from collections.abc import Sequence
from dataclasses import dataclass

from arcscribe.types import Box, RegionKind, TextLine
from layout_stage.fusion.labels import LineLabels
from layout_stage.parts import PageSize, Part, box_of, characters, length, middle, share_row, thickness

_KINDS = {
    "text": RegionKind.TEXT,
    "title": RegionKind.PARAGRAPH_TITLE,
    "figure_caption": RegionKind.FIGURE_TITLE,
    "table_caption": RegionKind.TABLE_TITLE,
    "header": RegionKind.TEXT,
    "footer": RegionKind.TEXT,
    "reference": RegionKind.REFERENCE,
    "equation": RegionKind.FORMULA,
    "": RegionKind.TEXT,
}
_MARGIN = 0.12
_TITLE_SIZE = 1.25
_DOC_TITLE_SIZE = 1.5
_TITLE_LINES = 3
_NUMBER_CHARACTERS = 3.5


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What the kinds of a page's paragraphs depend on."""

    size: PageSize
    em: float
    objects: tuple[Box, ...]
    """Tables and pictures."""
    rules: tuple[Box, ...]
    """Horizontal ruling lines."""


def to_parts(blocks: Sequence[tuple[TextLine, ...]], labels: LineLabels, facts: PageFacts) -> list[Part]:
    """Paragraphs as parts of their kinds."""
    boxes = [box_of(block) for block in blocks]
    everything = [*boxes, *facts.objects]
    parts = []
    for block, box in zip(blocks, boxes, strict=True):
        label = _majority(block, labels)
        kind = _margin_kind(block, box, label, everything, facts) or _body_kind(block, box, label, facts)
        score = middle((labels.score(line) for line in block), 0.0)
        parts.append(Part(kind, label, score, box, block))
    return parts


def _majority(block: Sequence[TextLine], labels: LineLabels) -> str:
    weight: dict[str, float] = {}
    for line in block:
        weight[labels.label(line)] = weight.get(labels.label(line), 0.0) + length(line)
    return max(weight, key=lambda label: weight[label])


def _body_kind(block: Sequence[TextLine], box: Box, label: str, facts: PageFacts) -> RegionKind:
    kind = _KINDS[label]
    large = middle(map(thickness, block), facts.em) / facts.em
    short = len(block) <= _TITLE_LINES
    if kind is RegionKind.TEXT and short and large >= _TITLE_SIZE and characters(block[0]) > 1.5:
        kind = RegionKind.PARAGRAPH_TITLE
    if kind is RegionKind.PARAGRAPH_TITLE and not short:
        kind = RegionKind.TEXT
    if kind is RegionKind.PARAGRAPH_TITLE and large >= _DOC_TITLE_SIZE and box.top < 0.4 * facts.size.height:
        return RegionKind.DOC_TITLE
    if kind is RegionKind.TEXT and block[0].vertical:
        return RegionKind.VERTICAL_TEXT
    return kind


def _margin_kind(
    block: Sequence[TextLine], box: Box, label: str, everything: Sequence[Box], facts: PageFacts
) -> RegionKind | None:
    """Header, footer, page number or note in the side margin; None for the body."""
    if block[0].vertical:
        return _side_kind(box, everything, facts)
    if len(block) > 2:
        return None
    height = facts.size.height
    others = [b for b in everything if b is not box and not share_row(b, box, 0.3)]
    above = [b for b in others if b.center[1] < box.top]
    below = [b for b in others if b.center[1] > box.bottom]
    top = box.bottom < _MARGIN * height and not _deep(above, facts)
    bottom = box.top > (1 - _MARGIN) * height and not _deep(below, facts)
    if not top and not bottom:
        return None
    gap = (
        min((b.top for b in below), default=height) - box.bottom
        if top
        else box.top - max((b.bottom for b in above), default=0.0)
    )
    apart = gap > 1.2 * facts.em or _is_ruled(box, facts, gap, below=top)
    large = middle(map(thickness, block), facts.em) / facts.em >= _TITLE_SIZE
    if sum(map(characters, block)) <= _NUMBER_CHARACTERS and apart and not large:
        return RegionKind.NUMBER
    named = label in ("header", "footer")
    if label == "title" or (large and not named) or not (apart or named):
        return None
    if not named and gap < 2.0 * facts.em and not _is_ruled(box, facts, gap, below=top):
        return None
    return RegionKind.HEADER if top else RegionKind.FOOTER


def _deep(boxes: Sequence[Box], facts: PageFacts) -> bool:
    """Whether more than two rows of text lie further out."""
    return sum(1 for b in boxes if b.height > 0) > 4 or any(b.height > 4 * facts.em for b in boxes)


def _is_ruled(box: Box, facts: PageFacts, gap: float, *, below: bool) -> bool:
    """Whether a long rule parts a line in the margin from the body."""
    reach = max(gap, 0.0) + facts.em
    return any(
        rule.width > 0.4 * facts.size.width
        and (
            (box.center[1] < rule.center[1] <= box.bottom + reach)
            if below
            else (box.top - reach <= rule.center[1] < box.center[1])
        )
        for rule in facts.rules
    )


def _side_kind(box: Box, everything: Sequence[Box], facts: PageFacts) -> RegionKind | None:
    """A vertical line of text in the side margin of a page that is otherwise horizontal."""
    near = 0.08 * facts.size.width
    at_side = box.right < near or box.left > facts.size.width - near
    beyond = [
        b
        for b in everything
        if b is not box
        and (b.left < box.left if box.right < near else b.right > box.right)
        and b.height < 3 * b.width
    ]
    return RegionKind.ASIDE_TEXT if at_side and not beyond else None
