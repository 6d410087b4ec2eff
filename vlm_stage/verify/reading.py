"""A picture, read greedily by what a model is compared with."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Crop, RecognizeOptions, RegionKind
from vlm_stage.engines.paddleocr_vl.inputs.prompts import MIN_PIXELS, Task, max_pixels
from vlm_stage.verify.pictures import Picture

LEAST_PIXELS, MOST_PIXELS = MIN_PIXELS, max_pixels(Task.OCR)
"""Between which all pictures are resized, by whatever reads them."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What was made of a picture, N tokens long, the end of the text included if it came.

    `image_tokens` is float32 (n, hidden), `logits` float32 (N, vocabulary): those by which each token was
    chosen.
    """

    image_tokens: NDArray[np.float32]
    tokens: tuple[int, ...]
    logits: NDArray[np.float32]


def crop_of(picture: Picture) -> Crop:
    """The picture as the engine takes crops; how large it is shown is fixed, not the model's choice."""
    options = RecognizeOptions(min_pixels=LEAST_PIXELS, max_pixels=MOST_PIXELS, prompt=picture.prompt)
    return Crop(0, RegionKind.TEXT, picture.pixels, options=options)
