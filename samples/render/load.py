"""PDFs of many pages for load and memory tests, made from the committed pages; no fonts needed."""

import io
from pathlib import Path

from samples.render.pdf import PdfPage, Picture, picture_from_png, pictures_in, write_pdf

DOCUMENTS = Path(__file__).parents[1] / "documents"
SOURCES = ("contract.pdf", "invoice.pdf", "tables.png")
SCALES = (0.94, 0.92, 0.9)
"""Each leaves a strip at the foot of the page, where the page's own line stands."""


def committed_pictures(path: Path) -> list[Picture]:
    """The page images of a committed sample."""
    content = path.read_bytes()
    return [picture_from_png(content)] if path.suffix == ".png" else pictures_in(content)


def page_line(number: int) -> str:
    """The line that only page `number`, counted from 1, of a load document has."""
    week, quantity = 1 + number * 7 % 52, 20 + number * 37 % 480
    return f"Schedule {number}: lot AS-{number:04d}, {quantity} pieces, delivered in week {week} of the year."


def load_pdf(pages: int) -> bytes:
    """A PDF of that many A4 pages, deterministic.

    The pages repeat four page images at three scales; each is an object of its own and ends with `page_line`.

    Raises:
        ValueError: fewer than one page was asked for.
    """
    if pages < 1:
        raise ValueError(f"a document has at least one page, not {pages}")
    pictures = [picture for name in SOURCES for picture in committed_pictures(DOCUMENTS / name)]
    made = [
        PdfPage(n % len(pictures), SCALES[n // len(pictures) % len(SCALES)], page_line(n + 1))
        for n in range(pages)
    ]
    out = io.BytesIO()
    write_pdf(out, pictures, made)
    return out.getvalue()
