"""What kind of region a paragraph is, by the network's word for it, its size and its look."""

from collections.abc import Sequence
from dataclasses import replace

from arcscribe.types import Box, RegionKind, TextLine
from layout_stage.fusion.labels import LineLabels
from layout_stage.fusion.margins import PageFacts, Paragraph, is_note_type, margin_kind
from layout_stage.parts import Part, box_of, characters, length, middle, overlap, share_row

_KINDS = {
    "title": RegionKind.PARAGRAPH_TITLE,
    "figure_caption": RegionKind.FIGURE_TITLE,
    "table_caption": RegionKind.TABLE_TITLE,
    "reference": RegionKind.REFERENCE,
}
_TITLE_SIZE = 1.25
_DOC_TITLE_SIZE = 1.5
_DOC_TITLE_PLACE = 0.45
_NEARLY_LARGEST = 0.75
_TITLE_LINES = 3
_TITLE_CHARACTERS = 45.0
_SMALL = 0.9
_SURE_TITLE = 0.6
_CAPTION_REACH = 6.0
_NAME_CHARACTERS, _NAME_REACH = 15.0, 1.0


def to_parts(blocks: Sequence[tuple[TextLine, ...]], labels: LineLabels, facts: PageFacts) -> list[Part]:
    """Paragraphs as parts of their kinds."""
    paragraphs = [_labelled(block, labels, facts) for block in blocks]
    boxes = [paragraph.box for paragraph in paragraphs]
    parts = []
    for i, paragraph in enumerate(paragraphs):
        others = [*boxes[:i], *boxes[i + 1 :], *facts.objects]
        kind = margin_kind(paragraph, others, facts) or _body_kind(paragraph, facts)
        large = paragraph.size >= _DOC_TITLE_SIZE
        if (
            kind is RegionKind.PARAGRAPH_TITLE
            and not large
            and not _stands_like_title(paragraph, others, facts)
        ):
            kind = RegionKind.TEXT
        parts.append(Part.of(kind, paragraph.label, paragraph.score, paragraph.box, paragraph.lines))
    return _with_doc_title(_with_row_mates(_with_footnotes(parts, paragraphs)), facts)


def _with_row_mates(parts: Sequence[Part]) -> list[Part]:
    """A line of text in the row of a header or footer is one too."""
    running = [part for part in parts if part.kind in (RegionKind.HEADER, RegionKind.FOOTER)]
    kinds: dict[Part, RegionKind] = {
        part: mate.kind
        for part in parts
        for mate in running
        if part.kind in (RegionKind.TEXT, RegionKind.PARAGRAPH_TITLE)
        and len(part.lines) == len(mate.lines) == 1
        and share_row(part.box, mate.box, 0.6)
    }
    return [replace(part, kind=kinds.get(part, part.kind)) for part in parts]


def _stands_like_title(paragraph: Paragraph, others: Sequence[Box], facts: PageFacts) -> bool:
    """Whether a title begins where other text does, or is centred on it; sums at the right do neither."""
    box, near = paragraph.box, 1.5 * facts.em
    return not others or any(
        abs(other.left - box.left) <= near or abs(other.center[0] - box.center[0]) <= near for other in others
    )


def _with_footnotes(parts: Sequence[Part], paragraphs: Sequence[Paragraph]) -> list[Part]:
    """What stands in small type below a footnote, in its column, is one too."""
    notes = [part.box for part in parts if part.kind is RegionKind.FOOTNOTE]
    return [
        replace(part, kind=RegionKind.FOOTNOTE)
        if part.kind in (RegionKind.TEXT, RegionKind.REFERENCE)
        and is_note_type(paragraph)
        and any(
            note.bottom <= part.box.center[1]
            and overlap(note.left, note.right, part.box.left, part.box.right) > 0
            for note in notes
        )
        else part
        for part, paragraph in zip(parts, paragraphs, strict=True)
    ]


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
    if kind in (RegionKind.TEXT, RegionKind.REFERENCE) and _looks_like_title(paragraph):
        kind = RegionKind.PARAGRAPH_TITLE
    doubtful = paragraph.score < _SURE_TITLE and not _looks_like_title(paragraph)
    if kind is RegionKind.PARAGRAPH_TITLE and (doubtful or not _may_be_title(paragraph)):
        kind = RegionKind.TEXT
    if kind is RegionKind.TEXT and _names_a_picture(paragraph, facts):
        return RegionKind.FIGURE_TITLE
    if kind is RegionKind.TEXT and paragraph.lines[0].vertical:
        return RegionKind.VERTICAL_TEXT
    return kind


def _may_be_title(paragraph: Paragraph) -> bool:
    return (
        len(paragraph.lines) <= _TITLE_LINES
        and paragraph.characters <= _TITLE_CHARACTERS
        and paragraph.size >= _SMALL
    )


def _looks_like_title(paragraph: Paragraph) -> bool:
    """Whether a short paragraph stands out by its size or by bold type."""
    if not _may_be_title(paragraph) or characters(paragraph.lines[0]) < 1.5:
        return False
    return paragraph.bold or paragraph.size >= _TITLE_SIZE


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


def _with_doc_title(parts: Sequence[Part], facts: PageFacts) -> list[Part]:
    """Of the largest titles the longest is the document's, if it is large and high on the page."""
    titles = [part for part in parts if part.kind is RegionKind.PARAGRAPH_TITLE]
    if not titles:
        return list(parts)
    sizes = {
        part: middle((facts.styles[line].times(facts.type_size, facts.em) for line in part.lines), 1.0)
        for part in titles
    }
    largest = max(sizes.values())
    candidates = [
        part
        for part in titles
        if sizes[part] >= max(_DOC_TITLE_SIZE, _NEARLY_LARGEST * largest)
        and part.box.top < _DOC_TITLE_PLACE * facts.size.height
    ]
    if not candidates:
        return list(parts)
    title = max(candidates, key=lambda part: sum(map(length, part.lines)))
    return [replace(part, kind=RegionKind.DOC_TITLE) if part is title else part for part in parts]
