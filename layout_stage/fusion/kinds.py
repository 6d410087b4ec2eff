"""What kind of region a paragraph is, by the network's word for it, its size and its look."""

from collections.abc import Sequence
from dataclasses import replace

from arcscribe.types import Box, RegionKind, TextLine
from layout_stage.fusion.footnotes import with_continued_notes
from layout_stage.fusion.labels import LineLabels
from layout_stage.fusion.margins import margin_kind
from layout_stage.fusion.page_facts import PageFacts, Paragraph
from layout_stage.fusion.titles import (
    looks_like_title,
    may_be_title,
    stands_like_title,
    with_doc_title,
)
from layout_stage.parts import Part, box_of, length, middle, overlap, share_row

_KINDS = {
    "title": RegionKind.PARAGRAPH_TITLE,
    "figure_caption": RegionKind.FIGURE_TITLE,
    "table_caption": RegionKind.TABLE_TITLE,
    "reference": RegionKind.REFERENCE,
}
_SURE_TITLE = 0.6
"""What the network's word for a title that does not look like one must score."""
_PLAIN_LINES = 2
"""The most lines of such a title."""
_CAPTION_REACH = 6.0
"""Heights of text between a table and its title."""
_NAME_CHARACTERS, _NAME_REACH = 15.0, 1.0
"""The most characters of a picture's name, and heights of text between the two."""


def to_parts(blocks: Sequence[tuple[TextLine, ...]], labels: LineLabels, facts: PageFacts) -> list[Part]:
    """Paragraphs as parts of their kinds."""
    paragraphs = [_labelled(block, labels, facts) for block in blocks]
    boxes = [paragraph.box for paragraph in paragraphs]
    parts = []
    for i, paragraph in enumerate(paragraphs):
        others = [*boxes[:i], *boxes[i + 1 :], *facts.objects]
        kind = margin_kind(paragraph, others, facts) or _body_kind(paragraph, facts)
        if kind is RegionKind.PARAGRAPH_TITLE and not stands_like_title(paragraph, others, facts):
            kind = RegionKind.TEXT
        parts.append(Part.of(kind, paragraph.label, paragraph.score, paragraph.box, paragraph.lines))
    return with_doc_title(_with_row_mates(with_continued_notes(parts, paragraphs)), facts)


def _with_row_mates(parts: Sequence[Part]) -> list[Part]:
    """A line of text, or one that was taken for a note, in the row of a header or footer is one too."""
    running = [part for part in parts if part.kind in (RegionKind.HEADER, RegionKind.FOOTER)]
    kinds: dict[Part, RegionKind] = {
        part: mate.kind
        for part in parts
        for mate in running
        if part.kind in (RegionKind.TEXT, RegionKind.PARAGRAPH_TITLE, RegionKind.FOOTNOTE)
        and len(part.lines) == len(mate.lines) == 1
        and share_row(part.box, mate.box, 0.6)
    }
    return [replace(part, kind=kinds.get(part, part.kind)) for part in parts]


def _labelled(block: tuple[TextLine, ...], labels: LineLabels, facts: PageFacts) -> Paragraph:
    weight: dict[str, float] = {}
    for line in block:
        weight[labels.label(line)] = weight.get(labels.label(line), 0.0) + length(line)
    label = max(weight, key=lambda name: weight[name])
    score = middle((labels.score(line) for line in block if labels.label(line) == label), 0.0)
    size = middle((facts.styles[line].times(facts.type_size, facts.em) for line in block), 1.0)
    ink_size = middle((facts.styles[line].size for line in block), facts.type_size) / facts.type_size
    bold = all(facts.styles[line].bold for line in block)
    return Paragraph(block, label, score, box_of(block), size, ink_size, bold)


def _body_kind(paragraph: Paragraph, facts: PageFacts) -> RegionKind:
    kind = _KINDS.get(paragraph.label, RegionKind.TEXT)
    if kind is RegionKind.TABLE_TITLE and not _is_near(paragraph.box, facts.tables, facts.em):
        kind = RegionKind.TEXT
    if kind in (RegionKind.TEXT, RegionKind.REFERENCE) and looks_like_title(paragraph):
        kind = RegionKind.PARAGRAPH_TITLE
    plain = not looks_like_title(paragraph)
    doubtful = plain and (paragraph.score < _SURE_TITLE or len(paragraph.lines) > _PLAIN_LINES)
    if kind is RegionKind.PARAGRAPH_TITLE and (doubtful or not may_be_title(paragraph)):
        kind = RegionKind.TEXT
    if kind is RegionKind.TEXT and _names_a_picture(paragraph, facts):
        return RegionKind.FIGURE_TITLE
    if kind is RegionKind.TEXT and paragraph.lines[0].vertical:
        return RegionKind.VERTICAL_TEXT
    return kind


def _names_a_picture(paragraph: Paragraph, facts: PageFacts) -> bool:
    """Whether a short line stands right below a picture and within its width."""
    box = paragraph.box
    return (
        len(paragraph.lines) == 1
        and paragraph.characters <= _NAME_CHARACTERS
        and any(
            picture.left <= box.left
            and box.right <= picture.right
            and -0.5 * facts.em <= box.top - picture.bottom <= _NAME_REACH * facts.em
            for picture in facts.pictures
        )
    )


def _is_near(box: Box, tables: Sequence[Box], em: float) -> bool:
    """Whether a table stands right above or below."""
    return any(
        overlap(box.left, box.right, table.left, table.right) > 0
        and -overlap(box.top, box.bottom, table.top, table.bottom) <= _CAPTION_REACH * em
        for table in tables
    )
