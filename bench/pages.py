"""The twelve page images that speed is measured on: the project's samples, clean and scanned."""

from pathlib import Path

import pypdfium2
from PIL import Image

DOCUMENTS = Path(__file__).parent.parent / "samples" / "documents"
SOURCES = (
    "contract.pdf",
    "contract-scan.pdf",
    "paper.pdf",
    "paper-scan.jpg",
    "invoice.pdf",
    "invoice-scan.jpg",
    "tables.png",
    "tables-scan.jpg",
    "newsletter.png",
    "newsletter-scan.jpg",
)
DPI = 200


def write_pages(folder: Path) -> tuple[list[Path], Path]:
    """Twelve PNG files, and one TIFF file with the same twelve pictures as its pages."""
    pictures = [picture for name in SOURCES for picture in _pictures(DOCUMENTS / name)]
    paths = [folder / f"{number:02}.png" for number in range(1, len(pictures) + 1)]
    for path, picture in zip(paths, pictures, strict=True):
        picture.save(path)
    document = folder / "pages.tiff"
    pages = [picture.copy() for picture in pictures]
    pages[0].save(document, save_all=True, append_images=pages[1:])
    return paths, document


def _pictures(path: Path) -> list[Image.Image]:
    if path.suffix != ".pdf":
        with Image.open(path) as picture:
            return [picture.convert("RGB")]
    with pypdfium2.PdfDocument(path) as document:
        return [page.render(scale=DPI / 72).to_pil().convert("RGB") for page in document]
