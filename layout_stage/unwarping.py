"""A photographed page made flat by a network of UVDoc's kind: what goes into it, and what comes out.

The network takes the whole page and gives it back, as PaddlePaddle exports UVDoc: it resizes, finds where
each point of the flat page lies, and samples the page there. So the picture keeps its size and its sharpness.
"""

import numpy as np
from numpy.typing import NDArray

from arcscribe.errors import InferenceFailed
from arcscribe.types import RgbImage

FloatArray = NDArray[np.float32]


def unwarping_input(image: RgbImage) -> FloatArray:
    """A page as float32 of shape (1, 3, height, width), blue first, from 0 to 1."""
    planes = np.ascontiguousarray(image[:, :, ::-1].transpose(2, 0, 1)[None], np.float32)
    planes /= 255
    return planes


def unwarped_image(output: FloatArray) -> RgbImage:
    """The flat page of shape (height, width, 3), RGB; what it shows from outside the page is black.

    Raises:
        InferenceFailed: the output holds what is no number.
    """
    if not np.isfinite(output).all():
        raise InferenceFailed("the unwarping network gave no number; try another precision or device")
    pixels = np.rint(np.clip(output[0], 0, 1) * 255).astype(np.uint8)
    return np.ascontiguousarray(pixels[::-1].transpose(1, 2, 0))
