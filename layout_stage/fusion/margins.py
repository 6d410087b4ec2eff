"""What stands in the margins of a page: headers, footers, page numbers, footnotes and side notes.

A single page does not show what repeats. So a line in the margin is judged by what speaks for it: the
network's word, its distance from the body, a rule between, smaller type, a page number beside it; and what
speaks against: large type and the network's word for a title.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arcscribe.types import Box, RegionKind, TextLine
from layout_stage.fusion.paragraphs import Style
from layout_stage.parts import PageSize, characters, overlap, share_row

_MARGIN = 0.12
_MARGIN_ROWS = 3
_FAR = 2.0
_SMALL, _LARGE = 0.92, 1.25
_NUMBER_CHARACTERS = 3.5
_SIDE = 0.08
_SIDE_NOTE_CHARACTERS = 5.0
_NOTE_RULE = 0.5


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What the kinds of a page's paragraphs depend on."""

    size: PageSize
    em: float
    leading: float
    """The usual white between two lines of text, in pixels."""
    objects: tuple[Box, ...]
    """Tables, pictures, seals and formulas."""
    tables: tuple[Box, ...]
    pictures: tuple[Box, ...]
    rules: tuple[Box, ...]
    """Horizontal ruling lines."""
    prose: tuple[Box, ...]
    """Lines of running text."""
    type_size: float
    """The size of the type that most text is set in, in pixels."""
    styles: Mapping[TextLine, Style]
    tilted: frozenset[TextLine]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together, and the network's word for them."""

    lines: tuple[TextLine, ...]
    label: str
    score: float
    box: Box
    size: float
    """Of its type, where 1 is that of most text on the page, if both its ink and its boxes say so."""
    ink_size: float
    """The same by its ink alone: it shows small type sooner, and wrongly where all letters are low."""
    bold: bool

    @property
    def characters(self) -> float:
        return sum(map(characters, self.lines))


def margin_kind(paragraph: Paragraph, others: Sequence[Box], facts: PageFacts) -> RegionKind | None:
    """The kind of what stands in a margin; None for the body.

    Args:
        paragraph: what is to be judged.
        others: the boxes of everything else on the page.
        facts: the page.
    """
    if paragraph.lines[0] in facts.tilted:
        return RegionKind.ASIDE_TEXT
    if paragraph.lines[0].vertical:
        return _side_text(paragraph.box, others, facts)
    if _is_side_note(paragraph, facts):
        return RegionKind.ASIDE_TEXT
    if is_footnote(paragraph, others, facts):
        return RegionKind.FOOTNOTE
    if len(paragraph.lines) > 2:
        return None
    return _running_line(paragraph, others, facts)


def _running_line(paragraph: Paragraph, others: Sequence[Box], facts: PageFacts) -> RegionKind | None:
    box, height = paragraph.box, facts.size.height
    rows = [b for b in others if not share_row(b, box, 0.3)]
    above = [b for b in rows if b.center[1] < box.center[1]]
    below = [b for b in rows if b.center[1] > box.center[1]]
    at_top = box.bottom < _MARGIN * height and _is_outer(above, facts)
    at_bottom = box.top > (1 - _MARGIN) * height and _is_outer(below, facts)
    if not at_top and not at_bottom:
        return None
    inner = below if at_top else above
    gap = _gap(box, inner, facts, down=at_top)
    if paragraph.characters <= _NUMBER_CHARACTERS and _number_evidence(paragraph, gap, inner, facts) >= 1:
        return RegionKind.NUMBER
    if _evidence(paragraph, gap, others, facts, down=at_top) < 2:
        return None
    return RegionKind.HEADER if at_top else RegionKind.FOOTER


def _number_evidence(paragraph: Paragraph, gap: float, inner: Sequence[Box], facts: PageFacts) -> int:
    """How much speaks for a page number; one is enough. No table or picture goes on so shortly."""
    nearest = min(
        inner, key=lambda b: abs(b.center[1] - paragraph.box.center[1]) - b.height / 2, default=None
    )
    beside_object = nearest is not None and nearest in facts.objects
    named = paragraph.label in ("header", "footer")
    large = paragraph.size > _LARGE
    return int(named) + int(beside_object) + int(gap > facts.leading + 0.5 * facts.em) - 2 * int(large)


def _evidence(
    paragraph: Paragraph, gap: float, others: Sequence[Box], facts: PageFacts, *, down: bool
) -> int:
    """How much speaks for a running header or footer; two is enough."""
    size = paragraph.size
    short_beside = any(
        share_row(b, paragraph.box) and b.width <= _NUMBER_CHARACTERS * b.height for b in others
    )
    return (
        2 * int(paragraph.label in ("header", "footer"))
        + int(gap > facts.leading + 0.6 * facts.em)
        + int(gap > _FAR * facts.em)
        + int(_is_ruled(paragraph.box, gap, facts, down=down))
        + int(size <= _SMALL)
        + int(short_beside)
        - 2 * int(paragraph.label == "title")
        - 2 * int(size >= _LARGE and paragraph.label not in ("header", "footer"))
    )


def _is_outer(beyond: Sequence[Box], facts: PageFacts) -> bool:
    """Whether what lies further out is some rows of a margin at most."""
    rows: list[Box] = []
    for box in beyond:
        if box.height > 4 * facts.em:
            return False
        if not any(share_row(box, row, 0.3) for row in rows):
            rows.append(box)
    return len(rows) < _MARGIN_ROWS


def _gap(box: Box, inner: Sequence[Box], facts: PageFacts, *, down: bool) -> float:
    """The white between a line and the body below (or above) it, in pixels; the page's height without."""
    column = [b for b in inner if overlap(b.left, b.right, box.left, box.right) > 0] or list(inner)
    far = float(facts.size.height)
    if down:
        return min((b.top - box.bottom for b in column), default=far)
    return min((box.top - b.bottom for b in column), default=far)


def _is_ruled(box: Box, gap: float, facts: PageFacts, *, down: bool) -> bool:
    """Whether a long rule parts a line in the margin from the body."""
    reach = max(gap, 0.0) + 0.5 * facts.em
    low, high = (box.center[1], box.bottom + reach) if down else (box.top - reach, box.center[1])
    return any(r.width > 0.4 * facts.size.width and low < r.center[1] <= high for r in facts.rules)


def is_footnote(paragraph: Paragraph, others: Sequence[Box], facts: PageFacts) -> bool:
    """Whether small type stands under a short rule in the lower part of a column."""
    box = paragraph.box
    if box.top < 0.5 * facts.size.height or not is_note_type(paragraph):
        return False
    column = [b for b in facts.prose if overlap(b.left, b.right, box.left, box.right) > 0]
    width = max((b.width for b in column), default=0.0)
    rules = [
        rule
        for rule in facts.rules
        if rule.width <= _NOTE_RULE * width
        and 0.4 * facts.size.height < rule.center[1] <= box.top + 0.3 * facts.em
        and rule.left <= box.left + 3 * facts.em
        and overlap(rule.left, rule.right, box.left, box.right) > 0
        and not any(rule.center[1] <= b.center[1] < box.top for b in column)
    ]
    return any(not _is_underline(rule, others, facts) for rule in rules)


def _is_underline(rule: Box, others: Sequence[Box], facts: PageFacts) -> bool:
    """Whether a rule belongs to text right above it, or to a table or picture."""
    if any(rule.center[1] < b.bottom + 0.05 * facts.em and rule.center[1] > b.top for b in others):
        touching = [b for b in others if b.top < rule.center[1] < b.bottom + 0.05 * facts.em]
        return any(overlap(rule.left, rule.right, b.left, b.right) > 0.5 * rule.width for b in touching)
    return False


def _is_side_note(paragraph: Paragraph, facts: PageFacts) -> bool:
    """Whether a few words stand at the side of the running text, as line and page references do."""
    if len(paragraph.lines) > 2 or not facts.prose or characters(paragraph.lines[0]) > _SIDE_NOTE_CHARACTERS:
        return False
    box = paragraph.box
    left, right = min(b.left for b in facts.prose), max(b.right for b in facts.prose)
    beside = any(share_row(b, box, 0.3) for b in facts.prose)
    return beside and (box.right <= left or box.left >= right)


def _side_text(box: Box, others: Sequence[Box], facts: PageFacts) -> RegionKind | None:
    """A vertical line in the side margin of a page whose text is horizontal."""
    near = _SIDE * facts.size.width
    at_left, at_right = box.right < near, box.left > facts.size.width - near
    level = [b for b in others if b.width >= 1.5 * b.height]
    if not (at_left or at_right) or not level:
        return None
    beyond = [b for b in level if (b.left < box.left if at_left else b.right > box.right)]
    return None if beyond else RegionKind.ASIDE_TEXT


def is_note_type(paragraph: Paragraph) -> bool:
    """Whether type is that of notes: smaller than the text's, or what the network takes for notes."""
    return paragraph.label in ("reference", "footer") or paragraph.ink_size <= _SMALL
