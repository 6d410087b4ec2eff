"""What stands in the margins of a page: headers, footers, page numbers, footnotes and side notes.

A single page does not show what repeats. So a line in the margin is judged by what speaks for it: the
network's word, its distance from the body, a rule between, smaller type, a page number beside it; and what
speaks against: large type and the network's word for a title.
"""

from collections.abc import Sequence

from arcscribe.types import Box, RegionKind
from layout_stage.fusion.footnotes import is_footnote
from layout_stage.fusion.page_facts import SMALL_TYPE, PageFacts, Paragraph
from layout_stage.parts import SIDE_NOTE_CHARACTERS, characters, overlap, share_row

_MARGIN, _SIDE = 0.12, 0.08
"""How high the margins at top and foot are, of the page's height, and how wide those at its sides, of its
width."""
_LEVEL = 1.5
"""How many times as wide as high what stands level is; running text does in any shape."""
_MARGIN_ROWS = 3
"""The most rows of a running head."""
_FAR = 2.0
"""Heights of text from the body that speak for a running head by themselves."""
_LARGE = 1.25
"""How large, where 1 is most of the page's, type is at least that speaks against one."""
_NUMBER_CHARACTERS = 3.5
"""The most square characters of a page number, such as `- 128 -`."""


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
    high, low = box.bottom < _MARGIN * height, box.top > (1 - _MARGIN) * height
    if not high and not low:
        return None
    rows = [b for b in others if not share_row(b, box, 0.3)]
    above = [b for b in rows if b.center[1] < box.center[1]]
    below = [b for b in rows if b.center[1] > box.center[1]]
    at_top = high and _is_outer(above, facts)
    at_bottom = low and _is_outer(below, facts)
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
        + int(size <= SMALL_TYPE)
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


def _is_side_note(paragraph: Paragraph, facts: PageFacts) -> bool:
    """Whether a few words stand at the side of the running text, as line and page references do."""
    if len(paragraph.lines) > 2 or not facts.prose or characters(paragraph.lines[0]) > SIDE_NOTE_CHARACTERS:
        return False
    box = paragraph.box
    left, right = min(b.left for b in facts.prose), max(b.right for b in facts.prose)
    beside = any(share_row(b, box, 0.3) for b in facts.prose)
    return beside and (box.right <= left or box.left >= right)


def _side_text(box: Box, others: Sequence[Box], facts: PageFacts) -> RegionKind | None:
    """A vertical line in the side margin of a page whose text is horizontal."""
    near = _SIDE * facts.size.width
    at_left, at_right = box.right < near, box.left > facts.size.width - near
    level = [*facts.prose, *(b for b in others if b.width >= _LEVEL * b.height)]
    if not (at_left or at_right) or not level:
        return None
    beyond = [b for b in level if (b.left < box.left if at_left else b.right > box.right)]
    return None if beyond else RegionKind.ASIDE_TEXT
