"""A minimal PDF writer: each page shows one picture, whose compressed bytes are embedded as they are.

Dictionaries as in ISO 32000-1: 8.9.5 (images), 7.4.4.4 (PNG predictors), 7.5 (file structure).
"""

import io
import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from PIL import Image

A4_POINTS = (595.276, 841.89)
PNG_SIGNATURE_LENGTH = 8
IMAGE_HEAD = re.compile(
    rb"<</Type /XObject /Subtype /Image (?P<entries>.*?) /Length (?P<length>\d+)>>\nstream\n"
)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as a PDF stream: the entries of its dictionary, and its bytes."""

    entries: str
    stream: bytes


@dataclass(frozen=True, slots=True)
class PdfPage:
    """A page of A4: the number of its picture, and a line in Helvetica whose baseline starts at `caption_at`.

    `caption_at` is in points from the page's lower left corner.
    """

    picture: int
    caption: str = ""
    caption_at: tuple[float, float] = (0.0, 0.0)


def png_chunks(png: bytes) -> dict[str, bytes]:
    """The chunks of a PNG file by name, those of one name joined."""
    found: dict[str, bytes] = {}
    at = PNG_SIGNATURE_LENGTH
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        found[name.decode()] = found.get(name.decode(), b"") + png[at + 8 : at + 8 + length]
        at += length + 12
    return found


def picture_from_png(png: bytes) -> Picture:
    """A palette PNG, its deflated rows taken over as they are."""
    chunks = png_chunks(png)
    width, height, bits = struct.unpack(">IIB", chunks["IHDR"][:9])
    palette = chunks["PLTE"]
    space = f"[/Indexed /DeviceRGB {len(palette) // 3 - 1} <{palette.hex()}>]"
    rows = f"<</Predictor 15 /Colors 1 /BitsPerComponent {bits} /Columns {width}>>"
    entries = (
        f"/Width {width} /Height {height} /BitsPerComponent {bits} /ColorSpace {space} "
        f"/Filter /FlateDecode /DecodeParms {rows}"
    )
    return Picture(entries, chunks["IDAT"])


def picture_from_jpeg(jpeg: bytes) -> Picture:
    """A JPEG of one or three channels, its bytes taken over as they are."""
    with Image.open(io.BytesIO(jpeg)) as image:
        space = "/DeviceGray" if image.mode == "L" else "/DeviceRGB"
        size = f"/Width {image.width} /Height {image.height}"
    return Picture(f"{size} /BitsPerComponent 8 /ColorSpace {space} /Filter /DCTDecode", jpeg)


def pictures_in(pdf: bytes) -> list[Picture]:
    """The pictures of a PDF that `write_pdf` wrote, in order."""
    found, at = [], 0
    while head := IMAGE_HEAD.search(pdf, at):
        at = head.end() + int(head["length"])
        found.append(Picture(head["entries"].decode(), pdf[head.end() : at]))
    return found


def page_content(page: PdfPage) -> bytes:
    width, height = A4_POINTS
    drawn = f"q {width} 0 0 {height} 0 0 cm /Im{page.picture} Do Q\n"
    if page.caption:
        words = page.caption.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        x, y = page.caption_at
        drawn += f"BT /F1 11 Tf {x:.2f} {y:.2f} Td ({words}) Tj ET\n"
    return drawn.encode("ascii")


def objects(pictures: list[Picture], pages: Iterable[PdfPage], count: int) -> Iterable[bytes]:
    """The file's objects, numbered from 1: catalogue, tree, font, pictures, then pages."""
    first = 4 + len(pictures)
    kids = " ".join(f"{first + 2 * n} 0 R" for n in range(count))
    yield b"<</Type /Catalog /Pages 2 0 R>>"
    yield f"<</Type /Pages /Count {count} /Kids [{kids}]>>".encode()
    yield b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>"
    for picture in pictures:
        head = f"<</Type /XObject /Subtype /Image {picture.entries} /Length {len(picture.stream)}>>\nstream\n"
        yield head.encode() + picture.stream + b"\nendstream"
    for number, page in enumerate(pages):
        content = page_content(page)
        uses = f"/XObject <</Im{page.picture} {4 + page.picture} 0 R>> /Font <</F1 3 0 R>>"
        yield (
            f"<</Type /Page /Parent 2 0 R /MediaBox [0 0 {A4_POINTS[0]} {A4_POINTS[1]}] "
            f"/Resources <<{uses}>> /Contents {first + 2 * number + 1} 0 R>>"
        ).encode()
        yield f"<</Length {len(content)}>>\nstream\n".encode() + content + b"endstream"


def write_pdf(out: BinaryIO, pictures: list[Picture], pages: list[PdfPage]) -> None:
    """Writes a PDF 1.5 whose pages show the pictures; the same input gives the same bytes."""
    offsets = []
    at = out.write(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
    for number, body in enumerate(objects(pictures, pages, len(pages)), start=1):
        offsets.append(at)
        at += out.write(f"{number} 0 obj\n".encode() + body + b"\nendobj\n")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(offsets) + 1
    out.write(f"xref\n0 {size}\n0000000000 65535 f \n{table}".encode())
    out.write(f"trailer\n<</Size {size} /Root 1 0 R>>\nstartxref\n{at}\n%%EOF\n".encode())
