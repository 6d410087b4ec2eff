"""Titles: which paragraphs look and stand like one, and which is the document's."""

from collections.abc import Sequence
from dataclasses import replace

from arcscribe.types import Box, RegionKind
from layout_stage.fusion.page_facts import PageFacts, Paragraph
from layout_stage.parts import Part, characters, length, middle

_TITLE_SIZE, _DOC_TITLE_SIZE = 1.25, 1.5
"""The least size of type, where 1 is that of most text, that makes a title, and the document's."""
_LEAST_SIZE = 0.9
"""Of the type of any title."""
_DOC_TITLE_PLACE = 0.45
"""Of the page's height: the document's title begins above."""
_NEARLY_LARGEST = 0.75
"""Of the largest title's size: the document's title may be a little smaller than a word in a corner."""
_MAX_LINES, _MAX_CHARACTERS = 3, 45.0
_MIN_CHARACTERS = 1.5
"""Of a title by its look alone: a lone large character is a bullet or an initial."""
_ALIGNED, _CENTRED = 1.5, 1.0
"""Heights of text that what begins at one edge, and what is centred, lies apart at most."""


def stands_like_title(paragraph: Paragraph, others: Sequence[Box], facts: PageFacts) -> bool:
    """Whether a title is large, or begins where other text does, or is centred on it; sums do neither."""
    box = paragraph.box
    if paragraph.size >= _DOC_TITLE_SIZE or not others:
        return True
    return any(
        abs(other.left - box.left) <= _ALIGNED * facts.em
        or abs(other.center[0] - box.center[0]) <= _CENTRED * facts.em
        for other in others
    )


def may_be_title(paragraph: Paragraph) -> bool:
    """Whether a paragraph is short enough, and not in small type."""
    return (
        len(paragraph.lines) <= _MAX_LINES
        and paragraph.characters <= _MAX_CHARACTERS
        and paragraph.size >= _LEAST_SIZE
    )


def looks_like_title(paragraph: Paragraph) -> bool:
    """Whether a short paragraph stands out by its size or by bold type."""
    if not may_be_title(paragraph) or characters(paragraph.lines[0]) < _MIN_CHARACTERS:
        return False
    return paragraph.bold or paragraph.size >= _TITLE_SIZE


def with_doc_title(parts: Sequence[Part], facts: PageFacts) -> list[Part]:
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
