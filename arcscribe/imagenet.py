"""Pixels as networks want them that were pretrained on ImageNet, as PP-StructureV3's are."""

import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)
"""Of ImageNet's channels, red first, where white is 1 (torchvision's and PaddleOCR's numbers)."""


def normalised(image: MatLike) -> NDArray[np.float32]:
    """An image of shape (height, width, 3), uint8, RGB, with mean 0 and deviation 1 over ImageNet."""
    return np.asarray((image.astype(np.float32) / 255 - _MEAN) / _DEVIATION, np.float32)
