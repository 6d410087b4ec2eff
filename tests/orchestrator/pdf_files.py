"""Tiny PDFs, written by hand so that they can be as odd as a test needs."""

import hashlib
import zlib
from collections.abc import Iterable

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def pdf(pages: Iterable[bytes]) -> bytes:
    """A PDF of page dictionaries' entries, such as `/MediaBox [0 0 10 10]`."""
    return assemble(_with_tree([(entries, b"") for entries in pages]))


def text_pdf(texts: Iterable[str], size: tuple[float, float] = (300, 200)) -> bytes:
    """One page for each text, in Helvetica."""
    drawn = [
        (_media_box(size), f"BT /F1 24 Tf 20 {size[1] / 2:g} Td ({text}) Tj ET".encode()) for text in texts
    ]
    return assemble(_with_tree(drawn))


def scan_pdf(
    pixels: bytes, pixel_size: tuple[int, int], size: tuple[float, float], coded: bytes = b""
) -> bytes:
    """One page that shows one grey picture; `coded` replaces its compressed data."""
    stream = coded or zlib.compress(pixels)
    picture = (
        b"<< /Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode"
        b" /Width %d /Height %d /Length %d >>\nstream\n%b\nendstream" % (*pixel_size, len(stream), stream)
    )
    content = b"q %g 0 0 %g 0 0 cm /X1 Do Q" % size
    objects = _with_tree([(_media_box(size), content)])
    objects[len(objects) + 1] = picture
    objects[3] = objects[3].replace(b"/Font", b"/XObject << /X1 %d 0 R >> /Font" % len(objects), 1)
    return assemble(objects)


def encrypted_pdf(text: str, password: str) -> bytes:
    """One page, encrypted with RC4 of 40 bits (PDF 1.7, 7.6.3, algorithms 1 to 4: V 1, R 2)."""
    objects = _with_tree([(_media_box((300, 200)), f"BT /F1 24 Tf 20 100 Td ({text}) Tj ET".encode())])
    padded = (password.encode("latin-1") + _PADDING)[:32]
    owner = rc4(hashlib.md5(padded).digest()[:5], padded)
    file_id = b"0123456789abcdef"
    permissions = (-4).to_bytes(4, "little", signed=True)
    key = hashlib.md5(padded + owner + permissions + file_id).digest()[:5]
    encrypted: dict[int, bytes] = {}
    for number, body in objects.items():
        head, middle, rest = body.partition(b"\nstream\n")
        own_key = hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10]
        stream = rest.removesuffix(b"\nendstream")
        encrypted[number] = head + middle + rc4(own_key, stream) + b"\nendstream" if middle else body
    number = len(encrypted) + 1
    encrypted[number] = b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%b> /U <%b> >>" % (
        owner.hex().encode(),
        rc4(key, _PADDING).hex().encode(),
    )
    identity = file_id.hex().encode()
    return assemble(encrypted, b"/Encrypt %d 0 R /ID [<%b> <%b>]" % (number, identity, identity))


def rc4(key: bytes, text: bytes) -> bytes:
    """RC4, which is its own inverse."""
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    out = bytearray()
    for byte in text:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def assemble(objects: dict[int, bytes], trailer: bytes = b"") -> bytes:
    """A file of numbered objects, 1 the catalogue, with its cross-reference table."""
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in sorted(objects.items()):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Root 1 0 R /Size %d %b >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(offsets) + 1,
        trailer,
        start,
    )
    return bytes(out)


def _media_box(size: tuple[float, float]) -> bytes:
    return b"/MediaBox [0 0 %g %g]" % size


def _with_tree(pages: list[tuple[bytes, bytes]]) -> dict[int, bytes]:
    """Objects: 1 catalogue, 2 page tree, then a page and its content in turn."""
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>"}
    kids = b" ".join(b"%d 0 R" % (3 + 2 * index) for index in range(len(pages)))
    objects[2] = b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, len(pages))
    font = b"/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
    for index, (entries, content) in enumerate(pages):
        number = 3 + 2 * index
        objects[number] = b"<< /Type /Page /Parent 2 0 R %b /Resources << %b >> /Contents %d 0 R >>" % (
            entries,
            font,
            number + 1,
        )
        objects[number + 1] = b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content)
    return objects
