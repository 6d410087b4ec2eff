"""Where crops come from: cut out of a sheet of noise, or sent again."""

import random
from collections import deque
from dataclasses import dataclass
from itertools import count
from math import log2

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Crop, RecognizeOptions, RegionKind, RgbImage

SMALLEST, LARGEST = (20, 20), (900, 1200)
"""Height and width of crops, in pixels; each octave between them is as likely."""
MOST_TOKENS = 40
"""Of nearly all crops, which keeps them cheap: what a model with random weights reads is of no interest."""
SPOT = 20
"""The side of a spot of the sheet, in pixels; it divides all sides."""
REMEMBERED = 64
"""Crops that may be sent again."""

PICTURES = (RegionKind.IMAGE, RegionKind.HEADER_IMAGE, RegionKind.FOOTER_IMAGE)
READ = tuple(kind for kind in RegionKind if kind not in PICTURES)


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A crop, and what it was read as."""

    crop: Crop
    text: str


class Source:
    """Crops whose ids count up from 0, and those read last."""

    def __init__(self, seed: int, largest: tuple[int, int] = LARGEST) -> None:
        self.random = random.Random(seed)
        self._largest = largest
        self._sheet = _sheet(seed)
        self._ids = count()
        self._read: deque[Read] = deque(maxlen=REMEMBERED)

    def crop(self) -> Crop:
        """The next crop, of any size and any kind that is read; some are to tell their text so far."""
        sides = zip(SMALLEST, self._largest, strict=True)
        height, width = (round(2 ** self.random.uniform(log2(least), log2(most))) for least, most in sides)
        return self._crop(self.random.choice(READ), height, width)

    def largest(self, kind: RegionKind) -> Crop:
        """The next crop, as large as they come."""
        return self._crop(kind, *self._largest)

    def _crop(self, kind: RegionKind, height: int, width: int) -> Crop:
        options = RecognizeOptions(
            max_new_tokens=self.random.randint(1, MOST_TOKENS), partial_text=self.random.random() < 0.25
        )
        return Crop(next(self._ids), kind, self.pixels(height, width), options=options)

    def pixels(self, height: int, width: int) -> RgbImage:
        """A piece of the sheet."""
        top = self.random.randint(0, self._sheet.shape[0] - height)
        left = self.random.randint(0, self._sheet.shape[1] - width)
        return self._sheet[top : top + height, left : left + width]

    def remember(self, read: Read) -> None:
        """Takes what a crop was read as, the likeliest tokens throughout."""
        self._read.append(read)

    def read_before(self) -> Read | None:
        """One of those read last; None at first."""
        return self.random.choice(self._read) if self._read else None


def _sheet(seed: int) -> NDArray[np.uint8]:
    """Coloured spots, no two pixels of which are quite the same."""
    generator = np.random.default_rng(seed)
    height, width = 2 * LARGEST[0], 2 * LARGEST[1]
    sheet = generator.integers(0, 32, (height, width, 3), np.uint8)
    spots = generator.integers(0, 224, (height // SPOT, width // SPOT, 3), np.uint8)
    sheet += spots.repeat(SPOT, axis=0).repeat(SPOT, axis=1)
    return sheet
