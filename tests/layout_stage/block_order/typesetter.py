"""A page that is set part by part: boxes and lines as a layout model and a text detector would find them.

It needs nothing but the layout stage's own values, so that it also runs where the reference does.
"""

import random
from dataclasses import dataclass, field

from arcscribe.types import Box, RegionKind, TextLine
from layout_stage.parts import Part

WIDTH, HEIGHT = 1240, 1754
EM = 20
PITCH = 28
MARGIN = 100
SPACE = 24
"""Pixels between paragraphs."""


@dataclass(frozen=True, slots=True)
class GeneratedPage:
    """A page of known parts, in no order; `areas` is what block layout would find."""

    name: str
    parts: tuple[Part, ...]
    areas: tuple[Box, ...]
    written: tuple[int, ...]
    """The indexes of the parts in the order in which they were set; that of reading, margins aside."""


@dataclass
class Typesetter:
    """Sets parts on a page; `y` is where the next one goes."""

    name: str
    seed: int
    y: int = MARGIN
    parts: list[Part] = field(default_factory=list)
    areas: list[Box] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = random.Random(f"{self.name} {self.seed}")

    def number(self, low: int, high: int) -> int:
        """A number from low to high, both included; the same in all versions of Python."""
        return low + int(self._random.random() * (high - low + 1))

    def set(self, kind: RegionKind, box: Box, lines: tuple[TextLine, ...] = ()) -> Box:
        """A part at a place."""
        self.parts.append(Part.of(kind, kind.value, 0.9, box, lines))
        return box

    def text(
        self,
        left: int,
        top: int,
        width: int,
        rows: int,
        kind: RegionKind = RegionKind.TEXT,
        em: int = EM,
    ) -> int:
        """A paragraph whose last row ends early; where the next one may start."""
        pitch = em * PITCH // EM
        lines = [Box(left, top + i * pitch, left + width, top + i * pitch + em) for i in range(rows)]
        if rows > 1:
            last = lines[-1]
            lines[-1] = Box(last.left, last.top, left + width * self.number(20, 90) // 100, last.bottom)
        self.set(kind, Box(left, top, left + width, int(lines[-1].bottom)), tuple(map(_line, lines)))
        return int(lines[-1].bottom) + SPACE

    def column(self, left: int, top: int, width: int, bottom: int, *, headings: bool = True) -> int:
        """Paragraphs, some with a heading, down to about a height; where the next part may start."""
        y = top
        while True:
            if headings and self.number(1, 3) == 1 and bottom - y > 6 * PITCH:
                y = self.text(left, y, width * self.number(30, 60) // 100, 1, RegionKind.PARAGRAPH_TITLE, 24)
            rows = min(self.number(3, 8), (bottom - y) // PITCH)
            if rows < 2:
                return y
            y = self.text(left, y, width, rows)

    def columns(self, count: int, top: int, bottom: int, *, headings: bool = True) -> int:
        """So many columns between the margins; where the next part may start."""
        ends = [self.column(x, top, width, bottom, headings=headings) for x, width in self.lanes(count)]
        return max(ends)

    def lanes(self, count: int, left: int = MARGIN, right: int = WIDTH - MARGIN) -> list[tuple[int, int]]:
        """Left edges and widths of so many columns."""
        gutter = 40
        width = (right - left - gutter * (count - 1)) // count
        return [(left + k * (width + gutter), width) for k in range(count)]

    def picture(
        self, left: int, top: int, width: int, height: int, *, kind: RegionKind = RegionKind.IMAGE
    ) -> int:
        """A picture or chart with a caption below it, or a table with one above it."""
        if kind is RegionKind.TABLE:
            top = self.text(left, top, width * 2 // 3, 1, RegionKind.TABLE_TITLE) - SPACE // 2
        self.set(kind, Box(left, top, left + width, top + height))
        if kind is RegionKind.TABLE:
            return top + height + SPACE
        caption = RegionKind.CHART_TITLE if kind is RegionKind.CHART else RegionKind.FIGURE_TITLE
        return self.text(left + width // 8, top + height + SPACE // 2, width * 3 // 4, 1, caption)

    def vertical_text(
        self,
        right: int,
        top: int,
        columns: int,
        length: int,
        kind: RegionKind = RegionKind.TEXT,
        em: int = EM,
    ) -> int:
        """A paragraph of vertical lines from right to left; where the next one may start, further left."""
        pitch = em * PITCH // EM
        boxes = [Box(right - i * pitch - em, top, right - i * pitch, top + length) for i in range(columns)]
        if columns > 1:
            last = boxes[-1]
            boxes[-1] = Box(last.left, last.top, last.right, top + length * self.number(30, 90) // 100)
        lines = tuple(TextLine(box, box.to_polygon(), 0.9, vertical=True) for box in boxes)
        self.set(kind, Box(int(boxes[-1].left), top, right, top + length), lines)
        return int(boxes[-1].left) - SPACE

    def margins(self) -> None:
        """A header, a footer and a page number."""
        self.text(MARGIN, 40, 300, 1, RegionKind.HEADER)
        self.text(MARGIN, HEIGHT - 60, 400, 1, RegionKind.FOOTER)
        self.text(WIDTH - MARGIN - 40, HEIGHT - 60, 40, 1, RegionKind.NUMBER)

    def page(self) -> GeneratedPage:
        """The page."""
        places = list(range(len(self.parts)))
        for i in range(len(places) - 1, 0, -1):
            k = self.number(0, i)
            places[i], places[k] = places[k], places[i]
        shuffled = tuple(self.parts[place] for place in places)
        written = tuple(places.index(number) for number in range(len(places)))
        return GeneratedPage(f"{self.name}-{self.seed}", shuffled, tuple(self.areas), written)


def _line(box: Box) -> TextLine:
    return TextLine(box, box.to_polygon(), 0.9)
