"""PDFs of many pages for load and memory tests, made from the committed pages; no fonts needed."""

import io
import json
from dataclasses import dataclass
from pathlib import Path

from samples.render.pdf import A4_POINTS, PdfPage, Picture, picture_from_png, pictures_in, write_pdf

DOCUMENTS = Path(__file__).parents[1] / "documents"
SOURCES = ("contract.pdf", "invoice.pdf", "tables.png")
FURNITURE = frozenset(("header", "footer", "number"))
LINE_GAP = 26.0
"""Points between the page's last block and the baseline of its own line."""


@dataclass(frozen=True, slots=True)
class Backdrop:
    """A committed page: its picture, and where a line below its text starts (points from lower left)."""

    picture: Picture
    line_at: tuple[float, float]


def committed_pictures(path: Path) -> list[Picture]:
    """The page images of a committed sample."""
    content = path.read_bytes()
    return [picture_from_png(content)] if path.suffix == ".png" else pictures_in(content)


def backdrops(path: Path) -> list[Backdrop]:
    """The pages of a committed sample, with the place below their text that the truth file gives."""
    truth = json.loads(path.with_suffix(".truth.json").read_text(encoding="utf-8"))
    found = []
    for picture, page in zip(committed_pictures(path), truth["pages"], strict=True):
        boxes = [block["box"] for block in page["blocks"] if block["label"] not in FURNITURE]
        to_points = 72 / truth["dpi"]
        left, bottom = min(box[0] for box in boxes) * to_points, max(box[3] for box in boxes) * to_points
        found.append(Backdrop(picture, (left, A4_POINTS[1] - bottom - LINE_GAP)))
    return found


def page_line(number: int) -> str:
    """The line that only page `number`, counted from 1, of a load document has; it ends the page's text."""
    week, quantity = 1 + number * 7 % 52, 20 + number * 37 % 480
    return f"Schedule {number}: lot AS-{number:04d}, {quantity} pieces, delivered in week {week} of the year."


def load_pdf(pages: int) -> bytes:
    """A PDF of that many A4 pages, deterministic.

    The pages repeat four page images; each is an object of its own, with `page_line` below its text.

    Raises:
        ValueError: fewer than one page was asked for.
    """
    if pages < 1:
        raise ValueError(f"a document has at least one page, not {pages}")
    behind = [backdrop for name in SOURCES for backdrop in backdrops(DOCUMENTS / name)]
    order = [n % len(behind) for n in range(pages)]
    made = [PdfPage(at, page_line(n), behind[at].line_at) for n, at in enumerate(order, start=1)]
    out = io.BytesIO()
    write_pdf(out, [backdrop.picture for backdrop in behind], made)
    return out.getvalue()
