"""Documents that were made to do harm, or that harm without meaning to; each with what must become of it."""

import io
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from tests.orchestrator.pdf_files import assemble, encrypted_pdf, scan_pdf, text_pdf

READ, REFUSED, LOCKED, TOO_LARGE = "read", "INVALID_DOCUMENT", "PASSWORD_REQUIRED", "TOO_LARGE"
FAILED_PAGES = "failed pages"


@dataclass(frozen=True, slots=True)
class Hostile:
    """A document. Of one that is read, every page has regions, if `with_text`, and none is without one."""

    name: str
    data: bytes
    outcome: str
    pages: int = 1
    with_text: bool = True


def hostile_documents(samples: Path) -> list[Hostile]:
    """The hostile list; the sound documents among them have hostile names or contents."""
    pdf = (samples / "invoice.pdf").read_bytes()
    return [*_names(pdf), *_not_documents(pdf), *_pdfs(), *_pictures()]


def _names(pdf: bytes) -> list[Hostile]:
    picture = _encoded(_page(), "PNG")
    return [
        Hostile(name, pdf, READ)
        for name in (
            "../../../../etc/passwd",
            "a\nb\r\n\x1b[31m.pdf",
            "nul\0.pdf",
            "/dev/zero",
            "x" * 5000,
            "$(reboot)",
        )
    ] + [Hostile("picture.pdf", picture, READ), Hostile("text.png", pdf, READ)]


def _not_documents(pdf: bytes) -> list[Hostile]:
    return [
        Hostile("empty.pdf", b"", REFUSED),
        Hostile("zip-bomb.pdf", _zip_bomb(), REFUSED),
        Hostile("text.pdf", b"this is no PDF, whatever it is called", REFUSED),
        Hostile("zeros.pdf", bytes(1_000_000), REFUSED),
        Hostile("head.pdf", pdf[:100], REFUSED),
        Hostile("header-only.pdf", b"%PDF-1.7\n", REFUSED),
        Hostile("page.html.pdf", b"<script>alert(1)</script>", REFUSED),
    ]


def _pdfs() -> list[Hostile]:
    actions = (
        b"/OpenAction << /S /JavaScript /JS (app.launchURL('http://127.0.0.1:9/')) >>",
        b"/OpenAction << /S /Launch /F (/bin/sh) /Win << /F (cmd.exe) >> >>",
        b"/AA << /WC << /S /URI /URI (http://127.0.0.1:9/) >> >>",
        b"/OpenAction << /S /GoToR /F << /FS /URL /F (http://127.0.0.1:9/x.pdf) >> /D [0 /Fit] >>",
        b"/Names << /EmbeddedFiles << /Names [(x) << /F (../../x) /EF << /F 4 0 R >> >>] >> >>",
        b"/AcroForm << /XFA 4 0 R /Fields [] >>",
    )
    external = scan_pdf(b"", (100, 100), (200, 200)).replace(
        b"/Filter /FlateDecode", b"/F (/etc/passwd)      "
    )
    return [
        *(Hostile(f"action-{n}.pdf", _with_catalogue(entries), READ) for n, entries in enumerate(actions)),
        Hostile("encrypted.pdf", encrypted_pdf("Secret", "open sesame"), LOCKED),
        Hostile("external-stream.pdf", external, READ),
        Hostile("corrupt-content.pdf", _corrupt_content(), FAILED_PAGES),
        Hostile("content-gone.pdf", text_pdf(["Gone"]).replace(b"4 0 obj", b"9 0 obj"), FAILED_PAGES),
        Hostile("corrupt-scan.pdf", scan_pdf(b"", (90, 90), (90, 90), coded=b"no flate data"), FAILED_PAGES),
        Hostile(
            "page-gone.pdf",
            text_pdf(["One", "Two", "Three"]).replace(b"5 0 obj", b"9 0 obj"),
            FAILED_PAGES,
            3,
        ),
        Hostile("five-hundred.pdf", text_pdf(["Page"] * 500, (72, 36)), READ, 500),
    ]


def _pictures() -> list[Hostile]:
    page, tall = _page(), Image.new("L", (2560, 32_000), 255)
    ImageDraw.Draw(tall).rectangle((100, 15_000, 2000, 15_400), fill=0)
    frames = [page, Image.new("RGB", page.size)]
    turned = Image.Exif()
    turned[274] = 6
    deep = Image.fromarray(np.asarray(page.convert("L")).astype(np.uint16) * 257)
    return [
        Hostile("tall.png", _encoded(tall, "PNG"), READ),
        Hostile("pixel.png", _encoded(Image.new("RGB", (1, 1)), "PNG"), READ, with_text=False),
        Hostile("animated.gif", _encoded(page, "GIF", save_all=True, append_images=frames * 20), READ),
        Hostile("cmyk.jpg", _encoded(page.convert("CMYK"), "JPEG"), READ),
        Hostile("16-bits.png", _encoded(deep, "PNG"), READ),
        Hostile(
            "three-pages.tiff", _encoded(page, "TIFF", save_all=True, append_images=[page, page]), READ, 3
        ),
        Hostile("turned.jpg", _encoded(page, "JPEG", exif=turned), READ),
        Hostile("bomb.png", _png_bomb(20_000), TOO_LARGE),
        Hostile("endless.png", _png_bomb(2**31 - 1, rows=10), TOO_LARGE),
        Hostile("cut.jpg", _encoded(page, "JPEG")[:2000], FAILED_PAGES),
    ]


def _page() -> Image.Image:
    page = Image.new("RGB", (300, 400), "white")
    ImageDraw.Draw(page).rectangle((40, 100, 260, 130), fill="black")
    return page


def _encoded(picture: Image.Image, picture_format: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, picture_format, **options)
    return out.getvalue()


def _zip_bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x", bytes(50_000_000))
    return out.getvalue()


def _png_bomb(side: int, rows: int = 20_000) -> bytes:
    """A PNG in whose head stand so many grey pixels a side."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(20_001)) for _ in range(rows)) + packer.flush()
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def _with_catalogue(entries: bytes) -> bytes:
    return _of_one_page(b"BT /F1 24 Tf 20 100 Td (Harmless) Tj ET", b"", entries)


def _corrupt_content() -> bytes:
    content = bytearray(zlib.compress(b"BT /F1 24 Tf 20 100 Td (Gone) Tj ET"))
    content[2:] = b"\xff" * (len(content) - 2)
    return _of_one_page(bytes(content), b"/Filter /FlateDecode")


def _of_one_page(content: bytes, filters: bytes, catalogue: bytes = b"") -> bytes:
    font = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    return assemble(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R %b >>" % catalogue,
            2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources %b /Contents 4 0 R >>"
            % font,
            4: b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(content), filters, content),
        }
    )
