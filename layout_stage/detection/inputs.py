"""Turning pages into what a layout network takes, as paddlex 3.7.2 does it."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.types import RgbImage
from layout_stage.detection.inference_config import Family, Interpolation, LayoutModelConfig, Normalisation

FloatArray = NDArray[np.float32]

_CV2: Mapping[Interpolation, int] = {
    Interpolation.NEAREST: cv2.INTER_NEAREST,
    Interpolation.LINEAR: cv2.INTER_LINEAR,
    Interpolation.BICUBIC: cv2.INTER_CUBIC,
    Interpolation.AREA: cv2.INTER_AREA,
    Interpolation.LANCZOS4: cv2.INTER_LANCZOS4,
}


def network_inputs(pages: Sequence[RgbImage], config: LayoutModelConfig) -> dict[str, FloatArray]:
    """The network's inputs by name, float32.

    Args:
        pages: one or more; those of a model that keeps the aspect must all have the same.
        config: the model's.

    Returns:
        `image` of shape (pages, 3, height, width), RGB; `scale_factor` of shape (pages, 2): what height and
        width were multiplied by; and except for PicoDet `im_shape` of shape (pages, 2): height and width of
        `image`.

    Raises:
        ValueError: there are no pages, or pages of unlike sizes for a model that keeps the aspect.
    """
    resized = [_resized(page, config) for page in pages]
    shapes = np.array([image.shape[:2] for image in resized])
    inputs: dict[str, FloatArray] = {
        "image": np.stack([_planes(image, config.normalisation) for image in resized]),
        "scale_factor": (shapes / np.array([page.shape[:2] for page in pages])).astype(np.float32),
        "im_shape": shapes.astype(np.float32),
    }
    return {name: inputs[name] for name in input_names(config)}


def input_names(config: LayoutModelConfig) -> tuple[str, ...]:
    """What the network's inputs are called; PicoDet is not told its own size."""
    names = ("image", "scale_factor", "im_shape")
    return names[:2] if config.family is Family.PICODET else names


def _resized(page: RgbImage, config: LayoutModelConfig) -> RgbImage:
    height, width = _size(page, config)
    if page.shape[:2] == (height, width):
        return page
    resized = cv2.resize(page, (width, height), interpolation=_CV2[config.interpolation])
    return np.asarray(resized, np.uint8)


def _size(page: RgbImage, config: LayoutModelConfig) -> tuple[int, int]:
    """Height and width of the input for that page."""
    if not config.keep_ratio:
        return config.height, config.width
    height, width = page.shape[:2]
    sides = (config.height, config.width)
    scale = min(max(sides) / max(height, width), min(sides) / min(height, width))
    return max(1, round(height * scale)), max(1, round(width * scale))


def _planes(image: RgbImage, normalisation: Normalisation) -> FloatArray:
    """An image of shape (height, width, 3) as float32 of shape (3, height, width), normalised."""
    mean, std = (np.array(v).reshape(3, 1, 1) for v in (normalisation.mean, normalisation.std))
    # One factor and one summand in float32, like paddlex: to the last bit.
    planes = image.transpose(2, 0, 1).astype(np.float32, order="C")
    planes *= (normalisation.scale / std).astype(np.float32)
    planes += (-mean / std).astype(np.float32)
    return planes
