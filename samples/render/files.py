"""Writes a document's files: the clean pages, the scan, and the truth beside them."""

import io
from dataclasses import replace
from pathlib import Path

from PIL import Image

from samples.render.degrade import Scan, scanned_jpeg
from samples.render.fonts import DPI
from samples.render.pdf import PdfPage, Picture, picture_from_jpeg, picture_from_png, write_pdf
from samples.render.sheet import Sheet
from samples.render.truth import write_truth

GREY_LEVELS = 16
COLOURS = 48


def is_coloured(image: Image.Image) -> bool:
    """Whether any pixel is not grey."""
    red, green, blue = (channel.tobytes() for channel in image.split())
    return not red == green == blue


def with_small_palette(image: Image.Image) -> Image.Image:
    """The page in 16 greys, or in 48 colours where it has colour: enough for smooth letters, and small."""
    if is_coloured(image):
        return image.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    step = 255 // (GREY_LEVELS - 1)
    indexed = image.convert("L").point([round(v / step) for v in range(256)])
    indexed = Image.frombytes("P", image.size, indexed.tobytes())
    indexed.putpalette([level * step for level in range(GREY_LEVELS) for _ in "rgb"])
    return indexed


def clean_png(image: Image.Image) -> bytes:
    """The clean page as a palette PNG."""
    page = with_small_palette(image)
    bits = 8 if is_coloured(image) else 4
    stream = io.BytesIO()
    page.save(stream, "PNG", optimize=True, bits=bits, dpi=(DPI, DPI))
    return stream.getvalue()


def scans(pages: tuple[Image.Image, ...], scan: Scan) -> list[bytes]:
    """Each page as the JPEG of a scan, every second one turned the other way."""
    found = []
    for number, image in enumerate(pages):
        own = replace(scan, seed=scan.seed + number, turn=scan.turn * (-1) ** number)
        found.append(scanned_jpeg(image if is_coloured(image) else image.convert("L"), own, DPI))
    return found


def write_pages(path: Path, pictures: list[Picture]) -> None:
    with path.open("wb") as out:
        write_pdf(out, pictures, [PdfPage(number) for number in range(len(pictures))])


def write_document(folder: Path, name: str, sheets: tuple[Sheet, ...], scan: Scan, *, as_pdf: bool) -> None:
    """Writes NAME.pdf or NAME.png, NAME-scan.pdf (several pages) or NAME-scan.jpg, and NAME.truth.json."""
    images = tuple(sheet.image for sheet in sheets)
    clean, scanned = [clean_png(image) for image in images], scans(images, scan)
    if as_pdf:
        write_pages(folder / f"{name}.pdf", [picture_from_png(png) for png in clean])
    else:
        (folder / f"{name}.png").write_bytes(clean[0])
    if len(sheets) > 1:
        write_pages(folder / f"{name}-scan.pdf", [picture_from_jpeg(jpeg) for jpeg in scanned])
    else:
        (folder / f"{name}-scan.jpg").write_bytes(scanned[0])
    write_truth(folder / f"{name}.truth.json", tuple(sheet.truth() for sheet in sheets))
