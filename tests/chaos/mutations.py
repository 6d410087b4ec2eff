"""Documents as nobody should write them, each decided by its seed."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from PIL import Image

from tests.chaos.pdf_mutations import PDF_MUTATIONS
from tests.chaos.picture_mutations import Mutation, picture_mutations
from tests.orchestrator.pdf_files import encrypted_pdf, scan_pdf, text_pdf

PICTURE_SIZE = 600, 800
"""Of the samples' pictures before they are mutated: what breaks a decoder does so in a small one too."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A damaged document; `how` names the mutations that made it."""

    seed: int
    how: str
    data: bytes

    @property
    def name(self) -> str:
        """For messages and logs."""
        return f"{self.seed}-{self.how}"


def originals(samples: Path) -> list[bytes]:
    """The project's PDFs, small ones of each kind, and its pictures in each format, all of them sound."""
    pdfs = [path.read_bytes() for path in sorted(samples.glob("*.pdf"))]
    small = [
        text_pdf([f"Page {number}" for number in range(1, 6)]),
        scan_pdf(bytes(range(100)) * 100, (100, 100), (200, 200)),
        encrypted_pdf("Locked", "open sesame"),
    ]
    pictures = [
        _encoded(path, picture_format)
        for path in sorted(samples.glob("*.png"))
        for picture_format in ("PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP")
    ]
    return [*pdfs, *small, *pdfs, *small, *pictures]


def mutant(sound: Sequence[bytes], seed: int) -> Mutant:
    """One of the sound documents after one to three mutations that suit its format."""
    random = Random(seed)
    data, steps = random.choice(sound), []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        fitting = PDF_MUTATIONS if data.startswith(b"%PDF-") else picture_mutations(data)
        mutate = random.choice(fitting if random.random() < _FITTING_SHARE else _ANY)
        data = mutate(data, random)
        steps.append(mutate.__name__)
    return Mutant(seed, "+".join(steps), data)


def _encoded(path: Path, picture_format: str) -> bytes:
    with Image.open(path) as opened:
        picture = opened.convert("RGB").resize(PICTURE_SIZE)
    out = io.BytesIO()
    picture.save(out, picture_format)
    return out.getvalue()


def bits_flipped(data: bytes, random: Random) -> bytes:
    out = bytearray(data)
    for _ in range(random.choice((1, 10, 100))):
        if out:
            out[random.randrange(len(out))] ^= 1 << random.randrange(8)
    return bytes(out)


def head_garbled(data: bytes, random: Random) -> bytes:
    head = bits_flipped(data[8:200], random)
    return data[:8] + head + data[200:]


def truncated(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def with_junk_after(data: bytes, random: Random) -> bytes:
    return data + random.randbytes(random.choice((1, 1000, 100_000)))


def with_junk_before(data: bytes, random: Random) -> bytes:
    return random.randbytes(random.choice((1, 100, 2000))) + data


def hole_cut(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    return data[:start] + data[start + random.choice((1, 16, 1000)) :]


def block_zeroed(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    size = min(random.choice((1, 16, 1000, 20_000)), len(data) - start)
    return data[:start] + bytes(size) + data[start + size :]


def block_repeated(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    block = data[start : start + random.choice((4, 100, 5000))]
    return data[:start] + block * random.choice((2, 20)) + data[start:]


_FITTING_SHARE = 0.7
"""Of mutations made for the format; the others are of any bytes."""

_ANY: tuple[Mutation, ...] = (
    bits_flipped,
    head_garbled,
    truncated,
    with_junk_after,
    with_junk_before,
    hole_cut,
    block_zeroed,
    block_repeated,
)
