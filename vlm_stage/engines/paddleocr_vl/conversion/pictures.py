"""Picture files that a user gives, to calibrate or to verify with."""

from pathlib import Path

import numpy as np
from PIL import Image

from arcscribe.errors import InvalidOption
from arcscribe.types import RgbImage

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff"})


def picture_files(folder: Path) -> list[Path]:
    """The files in a folder that are called like pictures, by name."""
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)


def read_picture(path: Path, option: str) -> RgbImage:
    """The pixels of a picture file.

    Raises:
        InvalidOption: it cannot be read; `option` is the one that named it.
    """
    try:
        with Image.open(path) as opened:
            return np.asarray(opened.convert("RGB"))
    # Pillow 12 raises the others at a damaged chunk of a PNG, and at text that unpacks to too much.
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise InvalidOption(f"{path} cannot be read as a picture: {error}", field=option) from error
