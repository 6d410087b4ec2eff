"""The committed documents and their ground truth agree."""

from pathlib import Path

import msgspec
import numpy as np
import pypdfium2
import pytest
from PIL import Image

from arcscribe.types import RegionKind

DOCUMENTS = Path(__file__).parents[2] / "samples" / "documents"
PAGES = {"contract": 2, "paper": 1, "invoice": 1, "tables": 1, "vertical": 1, "newsletter": 1, "quotation": 1}
FURNITURE = {"header", "footer", "number", "seal"}
INK = 170
"""Grey levels below which a pixel is ink; the seal's red is about 140."""
THICKEST_RULE = 4
"""Rows of pixels: a page has at most one rule that belongs to no block."""


class TruthBlock(msgspec.Struct, frozen=True):
    label: str
    text: str | list[list[str]]
    box: tuple[int, int, int, int]


class TruthPage(msgspec.Struct, frozen=True):
    width: int
    height: int
    blocks: list[TruthBlock]


class Truth(msgspec.Struct, frozen=True):
    pages: list[TruthPage]
    text: str
    tables: list[str]
    left_out: list[str]


def truth_of(name: str) -> Truth:
    return msgspec.json.decode((DOCUMENTS / f"{name}.truth.json").read_bytes(), type=Truth)


def file_of(stem: str) -> Path:
    (path,) = (p for p in DOCUMENTS.glob(f"{stem}.*") if p.suffix in (".pdf", ".png", ".jpg"))
    return path


def page_images(path: Path) -> list[Image.Image]:
    """The pages at 200 dpi, in grey."""
    if path.suffix != ".pdf":
        with Image.open(path) as image:
            return [image.convert("L")]
    document = pypdfium2.PdfDocument(path)
    try:
        return [page.render(scale=200 / 72).to_pil().convert("L") for page in document]
    finally:
        document.close()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("variant", ["", "-scan"])
def test_every_document_has_as_many_pages_of_that_size_as_its_truth(name: str, variant: str) -> None:
    pages = truth_of(name).pages
    images = page_images(file_of(name + variant))
    assert len(images) == len(pages) == PAGES[name]
    for image, page in zip(images, pages, strict=True):
        assert abs(image.width - page.width) <= 1
        assert abs(image.height - page.height) <= 1


@pytest.mark.parametrize("name", PAGES)
def test_the_ink_of_a_clean_page_lies_in_the_boxes_of_its_truth(name: str) -> None:
    for image, page in zip(page_images(file_of(name)), truth_of(name).pages, strict=True):
        ink = np.asarray(image) < INK
        other = ink.copy()
        for block in page.blocks:
            left, top, right, bottom = block.box
            inside = slice(top - 1, bottom + 2), slice(left - 1, right + 2)
            assert ink[inside].any(), block
            other[inside] = False
        rows_with_other_ink = np.flatnonzero(other.any(axis=1))
        assert len(rows_with_other_ink) <= THICKEST_RULE


@pytest.mark.parametrize("name", PAGES)
def test_no_two_blocks_of_a_page_overlap_but_for_the_seal(name: str) -> None:
    for page in truth_of(name).pages:
        boxes = [block.box for block in page.blocks if block.label != "seal"]
        for index, (left, top, right, bottom) in enumerate(boxes):
            for other in boxes[index + 1 :]:
                apart = other[0] >= right or other[2] <= left or other[1] >= bottom or other[3] <= top
                assert apart, (left, top, right, bottom, other)


@pytest.mark.parametrize("name", PAGES)
def test_the_flattened_truth_says_what_the_blocks_say(name: str) -> None:
    truth = truth_of(name)
    blocks = [block for page in truth.pages for block in page.blocks]
    assert {block.label for block in blocks} <= set(RegionKind)
    apart = {*FURNITURE, "table", "image", "chart"}
    assert truth.text.split("\n\n") == [b.text for b in blocks if b.label not in apart]
    assert truth.left_out == [b.text for b in blocks if b.label in FURNITURE]
    tables = [b.text for b in blocks if b.label == "table"]
    assert len(tables) == len(truth.tables)
    for rows, html in zip(tables, truth.tables, strict=True):
        if isinstance(rows, str):
            assert rows == html
        else:
            assert html.count("<td>") == sum(len(row) for row in rows)


def test_the_spanning_table_fills_its_grid() -> None:
    plain, spanning = truth_of("tables").tables
    assert "span" not in plain
    assert spanning.count("rowspan") == 4
    assert spanning.count("colspan") == 3


def test_the_samples_stay_small() -> None:
    assert sum(path.stat().st_size for path in DOCUMENTS.iterdir()) < 3_200_000
