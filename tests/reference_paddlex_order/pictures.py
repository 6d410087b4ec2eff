"""Draws the pages on which paddlex is not followed: `python -m tests.reference_paddlex_order.pictures`.

On the left paddlex's order, on the right this project's. Red lines are steps that only one of them takes.
"""

import json
from itertools import pairwise
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from arcscribe.types import Box
from layout_stage.block_order.page_order import block_order
from layout_stage.block_order.roles import Role, role_of
from tests.layout_stage.block_order.generated_pages import generated_pages
from tests.layout_stage.block_order.paddlex_fixture import FIXTURE
from tests.layout_stage.block_order.test_reference import DIFFERENCES
from tests.layout_stage.block_order.typesetter import HEIGHT, WIDTH, GeneratedPage

_FOLDER = Path(__file__).parents[2] / "docs" / "images" / "reading_order"
_SCALE = 0.27
_CAPTION = 22
_FILL = {
    Role.TITLE: "#ffe0a3",
    Role.VISION: "#cfe3f7",
    Role.CAPTION: "#e3effa",
    Role.TEXT: "#f1f1ec",
}
_MARGIN_FILL = "#e2d9ee"


def main() -> None:
    """Writes a picture for each page of the list."""
    _FOLDER.mkdir(parents=True, exist_ok=True)
    pages = {page.name: page for page in generated_pages()}
    for name in DIFFERENCES:
        picture = _picture(pages[name], json.loads(FIXTURE.read_text())[name]["order"])
        picture.quantize(32).save(_FOLDER / f"{name}.png", optimize=True)


def _picture(page: GeneratedPage, reference: list[int]) -> Image.Image:
    ours = list(block_order(page.parts, page.areas))
    width, height = int(WIDTH * _SCALE), int(HEIGHT * _SCALE)
    picture = Image.new("RGB", (2 * width + 10, height + _CAPTION), "white")
    font = ImageFont.load_default(13)
    for left, order, other, title in (
        (0, reference, ours, "paddlex 3.7.2"),
        (width + 10, ours, reference, "here"),
    ):
        picture.paste(_pane(page, order, other), (left, _CAPTION))
        ImageDraw.Draw(picture).text((left + 6, 3), title, "black", font)
    return picture


def _pane(page: GeneratedPage, order: list[int], other: list[int]) -> Image.Image:
    """A page with the numbers of one order; red where the part before is another in the other order."""
    pane = Image.new("RGB", (int(WIDTH * _SCALE), int(HEIGHT * _SCALE)), "white")
    draw = ImageDraw.Draw(pane)
    draw.rectangle((0, 0, pane.width - 1, pane.height - 1), outline="#999999")
    font = ImageFont.load_default(11)
    before = dict(zip(other, [-1, *other], strict=False))
    boxes = [part.box for part in page.parts]
    for part in page.parts:
        fill = _FILL.get(role_of(part.kind), _MARGIN_FILL)
        draw.rectangle([_SCALE * v for v in _edges(part.box)], fill=fill, outline="#888888")
    centres = [(_SCALE * box.center[0], _SCALE * box.center[1]) for box in boxes]
    for a, b in pairwise(order):
        draw.line((*centres[a], *centres[b]), "#d62728" if before[b] != a else "#b8c4b8")
    for number, i in enumerate(order, 1):
        draw.text(centres[i], str(number), "black", font, anchor="mm")
    return pane


def _edges(box: Box) -> tuple[float, float, float, float]:
    return box.left, box.top, box.right, box.bottom


if __name__ == "__main__":
    main()
