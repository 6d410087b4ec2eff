"""Pages that are the same to the bit wherever they are drawn, so that environments may compare results."""

import numpy as np
from numpy.typing import NDArray

RgbImage = NDArray[np.uint8]
SIZES = ((620, 877), (900, 640), (333, 517))
"""Width and height of each page, in pixels: upright, lying, and odd."""


def drawn_pages() -> tuple[RgbImage, ...]:
    """One page of each size, uint8 of shape (height, width, 3), RGB."""
    return tuple(_drawn(number, width, height) for number, (width, height) in enumerate(SIZES))


def _drawn(number: int, width: int, height: int) -> RgbImage:
    """Rows of dark strokes, and two coloured areas that lie elsewhere on each page."""
    page = np.full((height, width, 3), 250 - 20 * number, np.uint8)
    for row, top in enumerate(range(20, height - 20, 18)):
        end = width - 20 - (row * 37 + number * 53) % (width // 2)
        page[top : top + 9, 20:end:3] = 20 + 5 * number
    third = width // 3
    left, top = (number * third) % (width - third), height // (2 + number)
    page[top : top + height // 5, left : left + third] = (200, 40 + 60 * number, 30)
    page[height // 8 : height // 4, width - left - third : width - left] = (30, 90, 220 - 50 * number)
    return page
