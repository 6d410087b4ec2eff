"""Footnotes: small type under a short rule in the lower part of a column."""

from collections.abc import Sequence
from dataclasses import replace

from arcscribe.types import Box, RegionKind
from layout_stage.fusion.page_facts import SMALL_TYPE, PageFacts, Paragraph
from layout_stage.parts import Part, overlap

_NOTE_RULE = 0.5
"""Of the column's width: the rule above notes is shorter, and one between parts of a text longer."""
_LOWER_PART, _RULE_PART = 0.5, 0.4
"""Of the page's height: notes stand further down than the first, their rule further than the second."""


def is_footnote(paragraph: Paragraph, others: Sequence[Box], facts: PageFacts) -> bool:
    """Whether small type stands under a short rule in the lower part of a column."""
    box = paragraph.box
    if box.top < _LOWER_PART * facts.size.height or not _is_note_type(paragraph):
        return False
    column = [b for b in facts.prose if overlap(b.left, b.right, box.left, box.right) > 0]
    width = max((b.width for b in column), default=0.0)
    rules = [
        rule
        for rule in facts.rules
        if rule.width <= _NOTE_RULE * width
        and _RULE_PART * facts.size.height < rule.center[1] <= box.top + 0.3 * facts.em
        and rule.left <= box.left + 3 * facts.em
        and overlap(rule.left, rule.right, box.left, box.right) > 0
        and not any(rule.center[1] <= b.center[1] < box.top for b in column)
    ]
    return any(not _is_underline(rule, others, facts) for rule in rules)


def with_continued_notes(parts: Sequence[Part], paragraphs: Sequence[Paragraph]) -> list[Part]:
    """What stands in small type below a footnote, in its column, is one too."""
    notes = [part.box for part in parts if part.kind is RegionKind.FOOTNOTE]
    return [
        replace(part, kind=RegionKind.FOOTNOTE)
        if part.kind in (RegionKind.TEXT, RegionKind.REFERENCE)
        and _is_note_type(paragraph)
        and any(
            note.bottom <= part.box.center[1]
            and overlap(note.left, note.right, part.box.left, part.box.right) > 0
            for note in notes
        )
        else part
        for part, paragraph in zip(parts, paragraphs, strict=True)
    ]


def _is_underline(rule: Box, others: Sequence[Box], facts: PageFacts) -> bool:
    """Whether a rule belongs to text right above it, or to a table or picture."""
    return any(
        b.top < rule.center[1] < b.bottom + 0.05 * facts.em
        and overlap(rule.left, rule.right, b.left, b.right) > 0.5 * rule.width
        for b in others
    )


def _is_note_type(paragraph: Paragraph) -> bool:
    """Whether type is that of notes: smaller than the text's, or what the network takes for notes."""
    return paragraph.label in ("reference", "footer") or paragraph.ink_size <= SMALL_TYPE
