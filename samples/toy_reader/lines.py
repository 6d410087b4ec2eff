"""Pictures of one line of text, and where each character stands in them."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from samples.render.fonts import Face, load
from samples.toy_reader.wording import CJK

CHINESE_FACES: tuple[Face | None, ...] = (Face.HEI, Face.SONG)
FACES: tuple[Face | None, ...] = (None, Face.SANS, Face.SERIF, *CHINESE_FACES)
"""The typefaces read; None is Aileron, which Pillow carries in itself."""

SMALLEST, LARGEST = 20, 32
"""Type sizes in pixels."""
MISSING_IN_AILERON = "¥"
LOWEST, HIGHEST = 22, 41
"""Heights in pixels of a picture that the image processor makes one row of merged patches of."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line as drawn.

    `pixels` is uint8 [height, width]; `centres` are the characters' middles and `end` is the end of the last
    one, in pixels from the left.
    """

    text: str
    face: Face | None
    pixels: NDArray[np.uint8]
    centres: tuple[float, ...]
    end: float


@cache
def font(face: Face | None, size: int) -> ImageFont.FreeTypeFont:
    """The typeface at a size in pixels.

    Raises:
        MissingFontError: the typeface is not installed (never for None).
    """
    if face is not None:
        return load(face, size)
    own = ImageFont.load_default(size)
    if not isinstance(own, ImageFont.FreeTypeFont):
        raise TypeError("Pillow was built without FreeType")
    return own


def faces_for(text: str) -> tuple[Face | None, ...]:
    """The typefaces that have every character of the text."""
    if any(character in CJK for character in text):
        return CHINESE_FACES
    return FACES[1:] if any(character in MISSING_IN_AILERON for character in text) else FACES


def random_line(rng: np.random.Generator, text: str) -> Line:
    """The text in a random typeface, size, place and shade, with slight noise."""
    faces = faces_for(text)
    face = faces[int(rng.integers(len(faces)))]
    size = int(rng.integers(SMALLEST, LARGEST + 1))
    height = int(np.clip(round(size * rng.uniform(1.05, 1.5)), LOWEST, HIGHEST))
    return draw_line(rng, text, face, size, height)


def draw_line(rng: np.random.Generator, text: str, face: Face | None, size: int, height: int) -> Line:
    """The text on a canvas of that height, its margins and its noise drawn from `rng`."""
    typeface = font(face, size)
    starts = [typeface.getlength(text[:i]) for i in range(len(text) + 1)]
    left, right = rng.uniform(2, 14), rng.uniform(2, 14)
    width = max(28, round(left + starts[-1] + right))
    top, bottom = _ink(face, size)
    slack = height - (bottom - top)
    shift = round(slack * rng.uniform(0.2, 0.8) - top)
    paper, ink = int(rng.integers(225, 256)), int(rng.integers(0, 90))
    picture = Image.new("L", (width, height), paper)
    ImageDraw.Draw(picture).text((left, shift), text, font=typeface, fill=ink)
    noise = rng.standard_normal((height, width), dtype=np.float32) * rng.uniform(0, 7)
    pixels = np.clip(np.asarray(picture, np.float32) + noise, 0, 255).astype(np.uint8)
    centres = tuple(left + (a + b) / 2 for a, b in pairwise(starts))
    return Line(text, face, pixels, centres, left + starts[-1])


@cache
def _ink(face: Face | None, size: int) -> tuple[float, float]:
    _, top, _, bottom = font(face, size).getbbox("0123456789,/")
    return top, bottom
