"""A company's round seal: a red ring, the name along its upper arc, a star, a line beneath."""

import math

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from arcscribe.types import Box
from samples.render.fonts import Face, load, millimetres

SEAL_RED = (206, 28, 36)
OVERSAMPLING = 3
OPACITY = 0.72
ARC_DEGREES = 244
"""The part of the ring over which the name runs."""


def star(center: float, radius: float) -> list[tuple[float, float]]:
    """The ten corners of a five-pointed star, point up."""
    inner = radius * math.sin(math.radians(18)) / math.sin(math.radians(54))
    corners = []
    for step in range(10):
        reach, angle = (radius, inner)[step % 2], math.radians(step * 36)
        corners.append((center + reach * math.sin(angle), center - reach * math.cos(angle)))
    return corners


def paste_turned(mask: Image.Image, character: str, size: float, angle: float, radius: float) -> None:
    """Sets one character on the ring, its foot towards the centre; `angle` in degrees from the top."""
    tile = Image.new("L", (round(size * 1.5), round(size * 1.5)), 0)
    middle = tile.width / 2
    ImageDraw.Draw(tile).text((middle, middle), character, 255, load(Face.SONG_BOLD, size), anchor="mm")
    tile = tile.rotate(-angle, Image.Resampling.BICUBIC)
    center = mask.width / 2
    x = center + radius * math.sin(math.radians(angle)) - middle
    y = center - radius * math.cos(math.radians(angle)) - middle
    mask.paste(255, (round(x), round(y)), tile)


def seal_mask(name: str, foot: str, diameter: int) -> Image.Image:
    """The seal's ink as a mask, 255 where it is solid."""
    size = diameter * OVERSAMPLING
    mask = Image.new("L", (size, size), 0)
    draw = ImageDraw.Draw(mask)
    draw.ellipse((4, 4, size - 5, size - 5), outline=255, width=round(size * 0.028))
    draw.polygon(star(size / 2, size * 0.14), fill=255)
    letter = size * 0.118
    for index, character in enumerate(name):
        angle = -ARC_DEGREES / 2 + ARC_DEGREES * index / (len(name) - 1)
        paste_turned(mask, character, letter, angle, size * 0.385)
    draw.text((size / 2, size * 0.76), foot, 255, load(Face.SONG_BOLD, size * 0.085), anchor="mm")
    return mask.resize((diameter, diameter), Image.Resampling.LANCZOS)


def worn(mask: Image.Image, seed: int) -> Image.Image:
    """The mask with the uneven ink of a rubber stamp."""
    grain = np.random.default_rng(seed).normal(0.0, 1.0, (mask.height // 4 + 1, mask.width // 4 + 1))
    patches = Image.fromarray(np.clip(232 + 40 * grain, 0, 255).astype(np.uint8)).resize(mask.size)
    ink = np.asarray(patches.filter(ImageFilter.GaussianBlur(2)), dtype=np.float64) / 255
    return Image.fromarray((np.asarray(mask) * ink * OPACITY).astype(np.uint8))


def stamp(page: Image.Image, name: str, foot: str, center: tuple[float, float], turn: float) -> Box:
    """Presses a seal of 42 mm onto a page, turned by `turn` degrees; the page's text shows through.

    Returns the seal's box in pixels of the page.
    """
    diameter = round(millimetres(42))
    mask = worn(seal_mask(name, foot, diameter).rotate(turn, Image.Resampling.BICUBIC), seed=len(name))
    left, top = round(center[0] - diameter / 2), round(center[1] - diameter / 2)
    patch = page.crop((left, top, left + diameter, top + diameter))
    ink = np.asarray(mask, dtype=np.float64)[..., None] / 255
    tint = np.array(SEAL_RED) / 255
    pressed = np.asarray(patch) * (1 - ink + ink * tint)
    page.paste(Image.fromarray(pressed.astype(np.uint8)), (left, top))
    return Box(left, top, left + diameter, top + diameter)
