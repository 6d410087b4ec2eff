"""Sixteen crops of varied size, and what stands for their image tokens, since no vision encoder is run."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Crop, RecognizeOptions, RegionKind
from samples.checkpoints.weights import distribution
from vlm_stage.convert.tensors import EMBEDDINGS
from vlm_stage.engines.paddleocr_vl.inputs.images import Patches

SIDES = (
    *((36, 4), (40, 4), (29, 6), (32, 6), (26, 8), (28, 8), (30, 8), (32, 8)),
    *((27, 10), (29, 10), (30, 10), (32, 10), (24, 14), (29, 12), (26, 14), (27, 14)),
)
"""Columns and rows of image tokens: 144 to 378 of them, as a line and a long paragraph have."""
TOKEN_PIXELS = 28
"""The side of what becomes one image token; crops of multiples of it are not resized."""
_DEVIATION = distribution(EMBEDDINGS, (1, 1))[1]
"""Of the random embeddings of text; image tokens get the same."""
_MERGED = 2


def make_crops(max_new_tokens: int) -> list[Crop]:
    """The crops, whose callers want to see the text grow, which costs the engine the most Python."""
    options = RecognizeOptions(max_new_tokens=max_new_tokens, partial_text=True)
    return [
        Crop(number, RegionKind.TEXT, _noise(number, *sides), options=options)
        for number, sides in enumerate(SIDES)
    ]


def _noise(seed: int, columns: int, rows: int) -> NDArray[np.uint8]:
    shape = (rows * TOKEN_PIXELS, columns * TOKEN_PIXELS, 3)
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def image_tokens(patches: Patches, width: int) -> NDArray[np.float32]:
    """Float32 (tokens, width): noise that depends on the crop's sides alone, which no two crops share."""
    generator = np.random.default_rng([patches.rows, patches.columns])
    count = patches.rows * patches.columns // _MERGED**2
    return generator.standard_normal((count, width), np.float32) * np.float32(_DEVIATION)


class NoVision:
    """In the place of a `VisionEncoder`: image tokens at once, and out of nothing."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._crops: Sequence[Patches] = ()
        self.is_done = True

    def warm_up(self) -> None:
        """Nothing to be compiled."""

    def start(self, crops: Sequence[Patches]) -> None:
        self._crops = crops

    def collect(self) -> list[NDArray[np.float32]]:
        return [image_tokens(crop, self._width) for crop in self._crops]
