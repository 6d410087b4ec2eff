"""What the kinds of the paragraphs of a page are decided by."""

from collections.abc import Mapping
from dataclasses import dataclass

from arcscribe.types import Box, TextLine
from layout_stage.fusion.style import Style
from layout_stage.parts import PageSize, characters

SMALL_TYPE = 0.92
"""How large, where 1 is most of the page's, type of notes and running heads is at most."""


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
        """About how many square characters it holds."""
        return sum(map(characters, self.lines))
