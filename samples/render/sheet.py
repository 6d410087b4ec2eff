"""A page being drawn: pixels, and the blocks of its ground truth in the order in which they are set."""

from dataclasses import dataclass

from PIL import Image, ImageDraw
from PIL.ImageFont import FreeTypeFont

from arcscribe.types import Box, RegionKind, enclosing_box
from samples.render.fonts import Face, load, millimetres, points
from samples.render.truth import TruthBlock, TruthPage
from samples.render.typeset import Line, break_lines

A4_WIDTH, A4_HEIGHT = round(millimetres(210)), round(millimetres(297))
BLACK = (24, 24, 24)


@dataclass(frozen=True, slots=True)
class Style:
    """How a paragraph is set. `leading` is the distance of baselines over the type size; `indent` in ems."""

    face: Face
    size: float
    leading: float = 1.6
    indent: float = 0.0
    align: str = "left"
    hyphenate: bool = False

    @property
    def font(self) -> FreeTypeFont:
        return load(self.face, points(self.size))

    @property
    def line_height(self) -> float:
        return points(self.size) * self.leading


class Sheet:
    """A white A4 page of 200 dpi; draws text and keeps what it drew as ground truth."""

    def __init__(self) -> None:
        self.image = Image.new("RGB", (A4_WIDTH, A4_HEIGHT), "white")
        self.draw = ImageDraw.Draw(self.image)
        self.blocks: list[TruthBlock] = []

    def truth(self) -> TruthPage:
        return TruthPage(self.image.width, self.image.height, tuple(self.blocks))

    def record(self, kind: RegionKind, box: Box, text: str) -> None:
        self.blocks.append(TruthBlock(kind, box, text))

    def word(self, x: float, baseline: float, text: str, font: FreeTypeFont) -> Box:
        """Draws one word with its baseline at that height; returns the box of its ink."""
        self.draw.text((x, baseline), text, BLACK, font, anchor="ls")
        return Box(*self.draw.textbbox((x, baseline), text, font, anchor="ls"))

    def line(self, left: float, baseline: float, line: Line, font: FreeTypeFont) -> Box:
        return enclosing_box(self.word(left + x, baseline, text, font) for x, text in line.placed)

    def lines(self, text: str, style: Style, left: float, right: float, top: float) -> tuple[Box, float]:
        """Draws a paragraph; returns the box of its ink and the y just below its last line."""
        font = style.font
        lines = break_lines(
            text,
            font,
            right - left,
            indent=style.indent * font.size,
            justify=style.align == "justify",
            hyphenate=style.hyphenate,
        )
        return self.set_lines(lines, style, left, right, top), top + len(lines) * style.line_height

    def set_lines(self, lines: list[Line], style: Style, left: float, right: float, top: float) -> Box:
        """Draws lines already broken; returns the box of their ink."""
        font = style.font
        boxes = []
        for number, line in enumerate(lines):
            slack = (right - left - line.width) * {"center": 0.5, "right": 1.0}.get(style.align, 0.0)
            baseline = top + number * style.line_height + (style.line_height + font.size * 0.76) / 2
            boxes.append(self.line(left + slack, baseline, line, font))
        return enclosing_box(boxes)

    def paragraph(
        self, kind: RegionKind, text: str, style: Style, left: float, right: float, top: float
    ) -> float:
        """Draws and records a block of text; returns the y just below it."""
        box, bottom = self.lines(text, style, left, right, top)
        self.record(kind, box, text)
        return bottom

    def stanza(
        self, kind: RegionKind, texts: tuple[str, ...], style: Style, left: float, right: float, top: float
    ) -> float:
        """Draws lines that belong together as one block; returns the y just below it."""
        boxes = []
        for text in texts:
            box, top = self.lines(text, style, left, right, top)
            boxes.append(box)
        self.record(kind, enclosing_box(boxes), "\n".join(texts))
        return top

    def rule(self, left: float, right: float, y: float, thickness: int = 2) -> None:
        self.draw.line((left, y, right, y), BLACK, thickness)
