"""A company's seal: a red ring, the name along its upper arc, a star or a line, and a line beneath."""

import math
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from arcscribe.types import Box
from samples.render.fonts import Face, load, millimetres

Color = tuple[int, int, int]

SEAL_RED = (206, 28, 36)
OVERSAMPLING = 3
OPACITY = 0.72
NAME_RADIUS, NUMBER_RADIUS = 0.385, 0.425
"""Where the middles of letters lie, in diameters from the seal's middle."""
NUMBER_LETTER, NUMBER_DEGREES = 0.06, 4.6
"""The height of a number's digits in diameters, and the angle between two of them."""
ARC_STEPS = 3600


@dataclass(frozen=True, slots=True)
class Seal:
    """What a seal says and how it is cut. `number` runs along the lower arc, heads towards the middle."""

    name: str
    foot: str = ""
    middle: str = ""
    """A line across the middle, in place of the star."""
    number: str = ""
    diameter: float = 42.0
    """Millimetres, across."""
    aspect: float = 1.0
    """Height over width: 0.75 for the oval seals on invoices."""
    face: Face = Face.SONG_BOLD
    arc: float = 244.0
    """Degrees of the ring over which the name runs."""
    letter: float = 0.118
    """The height of a letter of the name, in diameters; its width is less where the name is long."""
    color: Color = SEAL_RED

    @property
    def text(self) -> str:
        """All that it says, from the ring inwards."""
        return "".join((self.name, self.number, self.middle, self.foot))


def star(center: tuple[float, float], radius: float) -> list[tuple[float, float]]:
    """The ten corners of a five-pointed star, point up."""
    inner = radius * math.sin(math.radians(18)) / math.sin(math.radians(54))
    corners = []
    for step in range(10):
        reach, angle = (radius, inner)[step % 2], math.radians(step * 36)
        corners.append((center[0] + reach * math.sin(angle), center[1] - reach * math.cos(angle)))
    return corners


def arc_angles(count: int, arc: float, aspect: float) -> list[float]:
    """The angles in degrees from the top, in the ellipse's own parameter, of letters at even distances."""
    steps = np.linspace(-arc / 2, arc / 2, ARC_STEPS * 2 + 1)
    speed = np.hypot(np.cos(np.radians(steps)), aspect * np.sin(np.radians(steps)))
    run = np.concatenate([[0.0], np.cumsum((speed[1:] + speed[:-1]) / 2)])
    wanted = np.linspace(0.0, run[-1], count) if count > 1 else np.array([run[-1] / 2])
    return [float(angle) for angle in np.interp(wanted, run, steps)]


def paste_turned(
    mask: Image.Image,
    tile: Image.Image,
    middle: tuple[float, float],
    radii: tuple[float, float],
    angle: float,
) -> None:
    """Sets a tile upright on an ellipse about `middle`; `angle` in degrees from the top."""
    x, y = math.sin(math.radians(angle)), math.cos(math.radians(angle))
    lean = math.degrees(math.atan2(x / radii[0], y / radii[1])) if radii[0] != radii[1] else angle
    turned = tile.rotate(-lean, Image.Resampling.BICUBIC)
    left = middle[0] + radii[0] * x - turned.width / 2
    top = middle[1] - radii[1] * y - turned.height / 2
    mask.paste(255, (round(left), round(top)), turned)


def letter_tile(character: str, face: Face, size: float, squeeze: float = 1.0) -> Image.Image:
    """One character in the middle of a square mask, its width multiplied by `squeeze`."""
    side = round(size * 1.5)
    tile = Image.new("L", (side, side), 0)
    ImageDraw.Draw(tile).text((side / 2, side / 2), character, 255, load(face, size), anchor="mm")
    if squeeze >= 1:
        return tile
    narrow = tile.resize((max(1, round(side * squeeze)), side), Image.Resampling.LANCZOS)
    square = Image.new("L", (side, side), 0)
    square.paste(narrow, ((side - narrow.width) // 2, 0))
    return square


def draw_name(mask: Image.Image, seal: Seal) -> None:
    width, height = mask.size
    angles = arc_angles(len(seal.name), seal.arc, seal.aspect)
    inset = (0.5 - NAME_RADIUS) * width
    radii = width / 2 - inset, height / 2 - inset
    run = math.radians(seal.arc) * (radii[0] + radii[1]) / 2
    squeeze = min(1.0, 1.06 * run / max(1, len(seal.name) - 1) / (seal.letter * width))
    for character, angle in zip(seal.name, angles, strict=True):
        tile = letter_tile(character, seal.face, seal.letter * width, squeeze)
        paste_turned(mask, tile, (width / 2, height / 2), radii, angle)


def draw_number(mask: Image.Image, seal: Seal) -> None:
    width, height = mask.size
    inset = (0.5 - NUMBER_RADIUS) * width
    radii = width / 2 - inset, height / 2 - inset
    for index, digit in enumerate(seal.number):
        angle = 180 - NUMBER_DEGREES * (index - (len(seal.number) - 1) / 2)
        tile = letter_tile(digit, seal.face, NUMBER_LETTER * width).rotate(180)
        paste_turned(mask, tile, (width / 2, height / 2), radii, angle)


def seal_mask(seal: Seal, width: int) -> Image.Image:
    """The seal's ink as a mask of that width, 255 where it is solid."""
    height = round(width * seal.aspect)
    size = width * OVERSAMPLING, height * OVERSAMPLING
    mask = Image.new("L", size, 0)
    draw = ImageDraw.Draw(mask)
    draw.ellipse((4, 4, size[0] - 5, size[1] - 5), outline=255, width=round(size[0] * 0.028))
    middle = size[0] / 2, size[1] / 2
    if seal.middle:
        draw.text(middle, seal.middle, 255, load(seal.face, size[0] * 0.055), anchor="mm")
    else:
        draw.polygon(star(middle, size[1] * 0.14), fill=255)
    draw_name(mask, seal)
    draw_number(mask, seal)
    if seal.foot:
        foot = load(seal.face, size[0] * 0.085)
        draw.text((middle[0], size[1] * 0.76), seal.foot, 255, foot, anchor="mm")
    return mask.resize((width, height), Image.Resampling.LANCZOS)


def worn(mask: Image.Image, seed: int, opacity: float = OPACITY) -> Image.Image:
    """The mask with the uneven ink of a rubber stamp."""
    grain = np.random.default_rng(seed).normal(0.0, 1.0, (mask.height // 4 + 1, mask.width // 4 + 1))
    patches = Image.fromarray(np.clip(232 + 40 * grain, 0, 255).astype(np.uint8)).resize(mask.size)
    ink = np.asarray(patches.filter(ImageFilter.GaussianBlur(2)), dtype=np.float64) / 255
    return Image.fromarray((np.asarray(mask) * ink * opacity).astype(np.uint8))


def stamp(
    page: Image.Image, seal: Seal, center: tuple[float, float], turn: float, opacity: float = OPACITY
) -> Box:
    """Presses a seal onto a page, turned anticlockwise by `turn` degrees; the page's text shows through.

    Returns the seal's box in pixels of the page.
    """
    flat = seal_mask(seal, round(millimetres(seal.diameter)))
    mask = worn(flat.rotate(turn, Image.Resampling.BICUBIC, expand=seal.aspect != 1), len(seal.name), opacity)
    mask = mask.crop(mask.getbbox()) if seal.aspect != 1 else mask
    left, top = round(center[0] - mask.width / 2), round(center[1] - mask.height / 2)
    patch = page.crop((left, top, left + mask.width, top + mask.height))
    ink = np.asarray(mask, dtype=np.float64)[..., None] / 255
    tint = np.array(seal.color) / 255
    pressed = np.asarray(patch) * (1 - ink + ink * tint)
    page.paste(Image.fromarray(pressed.astype(np.uint8)), (left, top))
    return Box(left, top, left + mask.width, top + mask.height)
