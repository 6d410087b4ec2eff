"""Pictures whose heads, chunks and tags are wrong."""

import struct
import zlib
from collections.abc import Callable, Iterator
from random import Random

_ODD = (0, 1, 2, 3, 7, 255, 256, 32_767, 65_535, 65_536, 2**31 - 1, 2**31, 2**32 - 1)

_FIELDS: tuple[tuple[bytes, str, tuple[int, ...], tuple[int, ...]], ...] = (
    (b"GIF8", "<", (6, 8), (10, 11, 12)),
    (b"BM", "<", (26, 28), (2, 10, 14, 18, 22, 30, 34, 46)),
    (b"RIFF", "<", (26, 28), (4, 16)),
    (b"II*\0", "<", (8,), (4,)),
)
"""Magic, byte order, offsets of fields of 2 bytes, and of 4 (of single bytes in GIF)."""


def chunks_of(png: bytes) -> list[tuple[bytes, bytes]]:
    """Names and contents of a PNG's chunks, as far as it can be read."""
    chunks, at = [], 8
    while at + 12 <= len(png):
        (size,) = struct.unpack_from(">I", png, at)
        chunks.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + size]))
        at += 12 + size
    return chunks


def png_of(chunks: list[tuple[bytes, bytes]]) -> bytes:
    """A PNG with right lengths and checksums."""
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
        for name, content in chunks
    )


def png_head_odd(data: bytes, random: Random) -> bytes:
    chunks = chunks_of(data)
    if not chunks or len(chunks[0][1]) != 13:
        return data
    head = bytearray(chunks[0][1])
    if random.random() < 0.5:
        struct.pack_into(">I", head, random.choice((0, 4)), random.choice((*_ODD, 9000, 100_000)))
    else:
        head[random.randrange(8, 13)] = random.choice((0, 1, 2, 3, 4, 6, 16, 255))
    return png_of([(chunks[0][0], bytes(head)), *chunks[1:]])


def png_chunks_shuffled(data: bytes, random: Random) -> bytes:
    chunks = chunks_of(data)
    if len(chunks) < 2:
        return data
    one = random.randrange(len(chunks))
    what = random.choice(("without", "twice", "last"))
    chosen = chunks[one]
    rest = chunks[:one] + chunks[one + 1 :]
    return png_of(rest if what == "without" else [*chunks, chosen] if what == "twice" else [*rest, chosen])


def png_chunk_added(data: bytes, random: Random) -> bytes:
    chunks = chunks_of(data)
    bomb = zlib.compress(bytes(50_000_000), 9)
    extra = random.choice(
        (
            *((b"zTXt", b"k\0\0" + bomb), (b"iCCP", b"k\0\0" + bomb), (b"iTXt", b"k\0\1\0\0\0" + bomb)),
            *(
                (b"tRNS", b"\0" * 500),
                (b"PLTE", b"\0\0\0" * 300),
                (b"PLTE", b"\0"),
                (b"eXIf", b"II*\0\x08\0\0\0"),
            ),
            *(
                (b"acTL", struct.pack(">II", 2**31 - 1, 0)),
                (b"fcTL", bytes(26)),
                (b"gAMA", b""),
                (b"XXXX", b""),
            ),
            *((b"IDAT", random.randbytes(100)), (b"IEND", b""), (b"pHYs", b"\xff" * 9), (b"cHRM", bytes(3))),
        )
    )
    return png_of([*chunks[:1], extra, *chunks[1:]])


def png_pixels_wrong(data: bytes, random: Random) -> bytes:
    """Too few rows, too many, a filter that is none, or hundreds of megabytes of them."""
    rows = random.choice((b"", bytes(1000), b"\xff" * 100_000, bytes(200_000_000)))
    kept = [chunk for chunk in chunks_of(data) if chunk[0] != b"IDAT"]
    return png_of([*kept[:-1], (b"IDAT", zlib.compress(rows, 9)), *kept[-1:]])


def segments_of(jpeg: bytes) -> Iterator[tuple[int, int]]:
    """Start and length, with marker, of each segment of a JPEG before its scan."""
    at = 2
    while at + 4 <= len(jpeg) and jpeg[at] == 0xFF and jpeg[at + 1] != 0xDA:
        size = 2 + int(struct.unpack_from(">H", jpeg, at + 2)[0])
        yield at, size
        at += size


def jpeg_size_odd(data: bytes, random: Random) -> bytes:
    out = bytearray(data)
    for at, size in segments_of(data):
        if data[at + 1] in {0xC0, 0xC2} and size >= 10 and at + 10 <= len(data):
            struct.pack_into(
                ">H", out, at + random.choice((5, 7)), random.choice((0, 1, 2559, 20_000, 65_535))
            )
            out[at + 9] = random.choice((0, 1, 3, 3, 3, 4, 255))
    return bytes(out)


def jpeg_segment_gone(data: bytes, random: Random) -> bytes:
    segments = list(segments_of(data))
    if not segments:
        return data
    at, size = random.choice(segments)
    again = data[at : at + size] if random.random() < 0.3 else b""
    return data[:at] + again * 3 + data[at + size :]


def jpeg_exif_odd(data: bytes, random: Random) -> bytes:
    """Orientations that are none, directories that loop, offsets beyond the end, endless profiles."""
    value, next_directory = random.choice((0, 3, 6, 8, 9, 65_535)), random.choice((0, 8, 2**32 - 1))
    kind, count = random.choice(((3, 1), (3, 2**31), (2, 1), (99, 1), (5, 1)))
    directory = struct.pack("<HHHIII", 1, 274, kind, count, value, next_directory)
    exif = b"Exif\0\0" + b"II*\0\x08\0\0\0" + directory
    payload = random.choice(
        (exif, exif[:-7], b"ICC_PROFILE\0\xff\xff" + bytes(100), b"Adobe\0\x64\0\0\0\0\x07")
    )
    marker = {b"E": 0xE1, b"I": 0xE2, b"A": 0xEE}[payload[:1]]
    return data[:2] + struct.pack(">BBH", 0xFF, marker, len(payload) + 2) + payload + data[2:]


def jpeg_scans_many(data: bytes, random: Random) -> bytes:
    """The scan again and again, as a progressive picture may ask a decoder to work without end."""
    start, end = data.rfind(b"\xff\xda"), data.rfind(b"\xff\xd9")
    return data[:end] + data[start:end] * random.choice((2, 50)) + data[end:] if 0 < start < end else data


def _first_directory(tiff: bytes) -> tuple[int, int] | None:
    """Where a TIFF file's first directory is, and how many entries it has; None where there is none."""
    if not tiff.startswith(b"II*\0") or len(tiff) < 8:
        return None
    (directory,) = struct.unpack_from("<I", tiff, 4)
    if directory + 2 > len(tiff):
        return None
    (count,) = struct.unpack_from("<H", tiff, directory)
    return directory, count


def tiff_tag_odd(data: bytes, random: Random) -> bytes:
    """One entry of the first directory has another tag, type, count or value."""
    if (found := _first_directory(data)) is None:
        return data
    directory, count = found
    entry = directory + 2 + 12 * random.randrange(max(count, 1))
    if entry + 12 > len(data):
        return data
    out = bytearray(data)
    offset, size = random.choice(((0, "H"), (2, "H"), (4, "I"), (8, "I"), (8, "I"), (8, "I")))
    value = random.choice((*_ODD, 5, 6, 34_712, 50_000))
    struct.pack_into(f"<{size}", out, entry + offset, value & (0xFFFF if size == "H" else 0xFFFFFFFF))
    return bytes(out)


def tiff_looped(data: bytes, random: Random) -> bytes:
    if (found := _first_directory(data)) is None:
        return data
    directory, count = found
    at = directory + 2 + 12 * count
    following = struct.pack("<I", random.choice((directory, 0, 4, len(data), 2**32 - 1)))
    return data[:at] + following + data[at + 4 :]


def field_odd(data: bytes, random: Random) -> bytes:
    """One field of a head that has its fields at fixed places."""
    for magic, order, words, longs in _FIELDS:
        if data.startswith(magic) and len(data) > 60:
            out, value = bytearray(data), random.choice((*_ODD, random.getrandbits(32)))
            if random.random() < 0.5:
                struct.pack_into(f"{order}H", out, random.choice(words), value & 0xFFFF)
            elif magic == b"GIF8":
                out[random.choice(longs)] = value & 0xFF
            else:
                struct.pack_into(f"{order}I", out, random.choice(longs), value)
            return bytes(out)
    return data


def gif_frames_many(data: bytes, random: Random) -> bytes:
    start = data.find(b"\x2c")
    return data[:-1] + data[start:-1] * 30 + b"\x3b" if data.startswith(b"GIF8") and start > 0 else data


Mutation = Callable[[bytes, Random], bytes]

_BY_MAGIC: dict[bytes, tuple[Mutation, ...]] = {
    b"\x89PNG": (png_head_odd, png_chunks_shuffled, png_chunk_added, png_pixels_wrong),
    b"\xff\xd8": (jpeg_size_odd, jpeg_segment_gone, jpeg_exif_odd, jpeg_scans_many),
    b"II*\0": (tiff_tag_odd, tiff_tag_odd, tiff_looped),
    b"GIF8": (field_odd, gif_frames_many),
}


def picture_mutations(data: bytes) -> tuple[Mutation, ...]:
    """Those made for a picture's format."""
    found = (mutations for magic, mutations in _BY_MAGIC.items() if data.startswith(magic))
    return next(found, (field_odd,))
