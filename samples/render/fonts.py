"""The typefaces of the samples: Debian's fonts-noto-cjk and fonts-noto-core."""

from enum import Enum
from functools import cache
from pathlib import Path

from PIL import ImageFont

DPI = 200
"""Pixels per inch of every page drawn here; boxes in the ground truth are in these pixels."""

FONT_ROOT = Path("/usr/share/fonts")
SIMPLIFIED_CHINESE = 2
"""Index of the simplified Chinese face in each of Noto CJK's .ttc collections."""


class MissingFontError(Exception):
    """A typeface is not installed; the message names the Debian package that has it."""


class Face(Enum):
    """A typeface: the file under `FONT_ROOT` and the face's index in it."""

    SONG = ("opentype/noto/NotoSerifCJK-Regular.ttc", SIMPLIFIED_CHINESE)
    SONG_BOLD = ("opentype/noto/NotoSerifCJK-Bold.ttc", SIMPLIFIED_CHINESE)
    HEI = ("opentype/noto/NotoSansCJK-Regular.ttc", SIMPLIFIED_CHINESE)
    HEI_BOLD = ("opentype/noto/NotoSansCJK-Bold.ttc", SIMPLIFIED_CHINESE)
    SERIF = ("truetype/noto/NotoSerif-Regular.ttf", 0)
    SERIF_BOLD = ("truetype/noto/NotoSerif-Bold.ttf", 0)
    SERIF_ITALIC = ("truetype/noto/NotoSerif-Italic.ttf", 0)
    SANS = ("truetype/noto/NotoSans-Regular.ttf", 0)
    SANS_BOLD = ("truetype/noto/NotoSans-Bold.ttf", 0)


def points(size: float) -> float:
    """Printer's points to pixels."""
    return size * DPI / 72


def millimetres(length: float) -> float:
    """Millimetres to pixels."""
    return length * DPI / 25.4


@cache
def load(face: Face, pixels: float) -> ImageFont.FreeTypeFont:
    """The typeface at that size in pixels.

    Raises:
        MissingFontError: the file is not there.
    """
    name, index = face.value
    path = FONT_ROOT / name
    if not path.is_file():
        package = "fonts-noto-cjk" if "CJK" in name else "fonts-noto-core"
        raise MissingFontError(f"{path} is missing: install {package} (needed only to draw the samples anew)")
    return ImageFont.truetype(path, pixels, index=index, layout_engine=ImageFont.Layout.BASIC)
