"""`python -m samples.readme_picture`: draws docs/images/contract.png, a page beside the Markdown it gives.

Both come from `arcscribe parse` on the contract sample, so that the picture shows what the program does.
Needs the fonts of the samples (fonts-noto-cjk).
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw

from samples.render.fonts import Face, load

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "samples" / "documents" / "contract.pdf"
TARGET = ROOT / "docs" / "images" / "contract.png"

WIDTH, GAP, PADDING = 1800, 24, 26
FONT_PIXELS, LINE_PIXELS, BLANK_PIXELS = 23, 34, 15
COLOURS = 128
"""Of the palette, the rarest ones kept too; the file stays below 250 kB with them."""
BACKGROUND, PAPER, FRAME = (246, 248, 250), (255, 255, 255), (208, 215, 222)
INK, TITLE, MARK, LINK = (36, 41, 47), (207, 34, 46), (110, 119, 129), (9, 105, 218)


@dataclass(frozen=True, slots=True)
class Strip:
    """A part of a page, its edges as shares of the page's width and height, and where its Markdown starts."""

    page: int
    top: float
    bottom: float
    starts_with: str
    left: float = 0.115
    right: float = 0.902


STRIPS = (Strip(1, 0.032, 0.606, "# "), Strip(2, 0.487, 0.88, "## 第七条"))


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it is drawn; an empty one is lower."""

    text: str
    face: Face
    colour: tuple[int, int, int]

    @property
    def height(self) -> int:
        return LINE_PIXELS if self.text else BLANK_PIXELS


def parse(folder: Path) -> tuple[str, dict[int, Image.Image]]:
    """The Markdown of the contract, and its overlays by page, from the command line."""
    command = [sys.executable, "-m", "arcscribe.tools", "parse", str(SOURCE), "-o", f"{folder}/"]
    subprocess.run([*command, "--overlay", str(folder), "--tables", "gfm"], check=True)
    overlays = {n: Image.open(folder / f"{SOURCE.stem}-page-{n:04}.jpg").convert("RGB") for n in (1, 2)}
    return (folder / f"{SOURCE.stem}.md").read_text(encoding="utf-8"), overlays


def cut(page: Image.Image, strip: Strip, width: int) -> Image.Image:
    """The strip of a page, scaled to a width."""
    box = (
        round(strip.left * page.width),
        round(strip.top * page.height),
        round(strip.right * page.width),
        round(strip.bottom * page.height),
    )
    part = page.crop(box)
    return part.resize((width, round(part.height * width / part.width)), Image.Resampling.LANCZOS)


def wrapped(text: str, width: int, face: Face) -> Iterator[str]:
    """The text in pieces that are no wider than that; it may break after any Chinese character or space."""
    font, line = load(face, FONT_PIXELS), ""
    for token in re.findall(r"[!-~]+ ?|.", text):
        if line and font.getlength(line + token.rstrip()) > width:
            yield line
            line = ""
        line += token
    yield line


def lines_of(markdown: str, width: int) -> list[Line]:
    """Markdown as lines to draw, titles and marks told apart by colour."""
    lines: list[Line] = []
    for source in markdown.splitlines():
        face, colour = style_of(source)
        lines.extend(Line(piece, face, colour) for piece in wrapped(source, width, face))
    return lines


def style_of(source: str) -> tuple[Face, tuple[int, int, int]]:
    """The typeface and colour of a line of Markdown."""
    if source.startswith("#"):
        return Face.HEI_BOLD, TITLE
    if source.startswith("!["):
        return Face.HEI, LINK
    if source.startswith(("|", "<")):
        return Face.HEI, MARK if set(source) <= set("| -:") else INK
    return Face.HEI, INK


def from_start(markdown: str, start: str) -> str:
    """The Markdown from the first line that starts so.

    Raises:
        ValueError: no line does.
    """
    at = re.search(rf"^{re.escape(start)}", markdown, re.MULTILINE)
    if at is None:
        raise ValueError(f"no line of the Markdown starts with {start!r}")
    return markdown[at.start() :]


def draw_lines(lines: Sequence[Line], width: int, height: int) -> Image.Image:
    """As many lines as have room on a sheet of that size; an ellipsis where others follow."""
    sheet = Image.new("RGB", (width, height), PAPER)
    pen, y = ImageDraw.Draw(sheet), PADDING // 2
    for line in lines:
        if y + 2 * LINE_PIXELS > height:
            pen.text((PADDING, y), "…", font=load(Face.HEI, FONT_PIXELS), fill=MARK)
            break
        pen.text((PADDING, y), line.text, font=load(line.face, FONT_PIXELS), fill=line.colour)
        y += line.height
    return sheet


def compose(markdown: str, overlays: dict[int, Image.Image]) -> Image.Image:
    """Strips of pages on the left, each beside its Markdown."""
    width = (WIDTH - 3 * GAP) // 2
    parts = [cut(overlays[strip.page], strip, width) for strip in STRIPS]
    canvas = Image.new("RGB", (WIDTH, sum(part.height + GAP for part in parts) + GAP), BACKGROUND)
    pen, y = ImageDraw.Draw(canvas), GAP
    for strip, part in zip(STRIPS, parts, strict=True):
        text = lines_of(from_start(markdown, strip.starts_with), width - 2 * PADDING)
        for x, sheet in ((GAP, part), (2 * GAP + width, draw_lines(text, width, part.height))):
            canvas.paste(sheet, (x, y))
            pen.rectangle((x, y, x + sheet.width - 1, y + sheet.height - 1), outline=FRAME)
        y += part.height + GAP
    return canvas


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        picture = compose(*parse(Path(folder)))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    palette = picture.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    palette.save(TARGET, optimize=True)
    print(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
