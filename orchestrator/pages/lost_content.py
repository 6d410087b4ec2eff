"""Whether a PDF has lost what its pages show: PDFium draws such a page blank, and says nothing."""

import re
import zlib
from collections.abc import Iterator

_CONTENTS = re.compile(rb"/Contents\s*(?:\[([^\]]*)\]|(\d+\s+\d+\s+R))")
_REFERENCE = re.compile(rb"(\d+)\s+\d+\s+R")
_OBJECT = re.compile(rb"(?<!\d)(\d+)\s+\d+\s+obj\b")
_STREAM = re.compile(rb"\bstream\r?\n")
_FIRST_FILTER = re.compile(rb"/Filter\s*\[?\s*/(\w+)")
_HEAD_BYTES = 4096  # in which an object's dictionary ends
_PIECE = 65536
_MOST_BYTES = 64 * 1024 * 1024  # that are unpacked of one stream; a bomb is not worth more


def has_lost_content(data: bytes) -> bool:
    """Whether a page's content stream, of whichever page, is not in the file, or cannot be unpacked.

    Of an encrypted file it knows nothing. Streams are objects of their own, and only pages may be inside of
    others (PDF 1.7, 7.5.7).
    """
    starts = {int(match[1]): match.end() for match in _OBJECT.finditer(data)}
    texts = [
        data,
        *(_unpacked(data, start) or b"" for start in starts.values() if _is_of_objects(data, start)),
    ]
    wanted = {number for text in texts for number in _contents(text)}
    return any(number not in starts or _unpacked(data, starts[number]) is None for number in wanted)


def _contents(text: bytes) -> Iterator[int]:
    for match in _CONTENTS.finditer(text):
        yield from (int(number) for number in _REFERENCE.findall(match[1] or match[2] or b""))


def _is_of_objects(data: bytes, start: int) -> bool:
    return b"/ObjStm" in data[start : start + _HEAD_BYTES].partition(b"endobj")[0]


def _unpacked(data: bytes, start: int) -> bytes | None:
    """The stream of an object, as far as Flate alone packs it, else as it is; None where it is damaged."""
    head = data[start : start + _HEAD_BYTES].partition(b"endobj")[0]
    stream = _STREAM.search(head)
    if stream is None:
        return b""  # an array of streams, or something else that is not packed
    packing = _FIRST_FILTER.search(head, 0, stream.start())
    if packing is None or packing[1] not in {b"FlateDecode", b"Fl"}:
        return b""
    end = data.find(b"endstream", start)
    return _inflated(memoryview(data)[start + stream.end() : end if end >= 0 else len(data)])


def _inflated(packed: memoryview) -> bytes | None:
    unpacker, out, at = zlib.decompressobj(), bytearray(), 0
    while not unpacker.eof and len(out) < _MOST_BYTES:
        piece = unpacker.unconsumed_tail or packed[at : at + _PIECE]
        at += 0 if unpacker.unconsumed_tail else _PIECE
        if not piece:
            return None
        try:
            out += unpacker.decompress(piece, _PIECE * 16)
        except zlib.error:
            return None
    return bytes(out)
