"""Pixels as networks want them that were pretrained on ImageNet, as PP-StructureV3's are."""

import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Mean and standard deviation of ImageNet's channels, red first, where white is 1 (torchvision's and
PaddleOCR's numbers)."""
_MEAN, _STD = np.array(MEAN, np.float32), np.array(STD, np.float32)


def normalised(image: MatLike) -> NDArray[np.float32]:
    """An image of shape (height, width, 3), uint8, RGB, with mean 0 and deviation 1 over ImageNet."""
    return np.asarray((image.astype(np.float32) / 255 - _MEAN) / _STD, np.float32)
