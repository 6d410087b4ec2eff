"""A crop as the vision encoder wants it: resized, normalised, cut into patches."""

import math
from dataclasses import dataclass

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from arcscribe.errors import InvalidDocument, TooLarge
from arcscribe.types import RgbImage

MAX_ASPECT_RATIO = 200
"""The longest side over the shortest, once both have `factor` pixels; transformers' `smart_resize`."""

MOST_VALUE = 10_000
"""No value of a pixel may become larger: published models want about 1, and float16 ends at 65,504."""

_CLIP_MEAN = (0.48145466, 0.4578275, 0.40821073)
_CLIP_DEVIATION = (0.26862954, 0.26130258, 0.27577711)


class ImageSettings(msgspec.Struct, frozen=True):
    """What the checkpoint's image processor does, in the words of its `preprocessor_config.json`.

    Defaults are those of transformers 5.24 (`PaddleOCRVLImageProcessor`); published checkpoints override
    nearly all of them. Pixels are counted after resizing. Means and deviations, red first, are of values that
    `rescale_factor` has brought to 0 to 1. `resample` is Pillow's number of a filter: 3 is bicubic.
    """

    min_pixels: int = 384 * 384
    max_pixels: int = 1536 * 1536
    patch_size: int = 14
    merge_size: int = 2
    image_mean: tuple[float, float, float] = _CLIP_MEAN
    image_std: tuple[float, float, float] = _CLIP_DEVIATION
    rescale_factor: float = 1 / 255
    resample: int = 3
    do_rescale: bool = True
    do_normalize: bool = True

    def __post_init__(self) -> None:
        if not 0 < self.min_pixels <= self.max_pixels:
            raise ValueError(f"pixels from {self.min_pixels} to {self.max_pixels}")
        if min(self.patch_size, self.merge_size) < 1:
            raise ValueError(f"patches of {self.patch_size}, merged by {self.merge_size}")
        if not self.rescale_factor > 0:
            raise ValueError(f"a rescale_factor of {self.rescale_factor}")
        if not all(deviation > 0 for deviation in self.image_std):
            raise ValueError(f"deviations of {self.image_std}, not all above 0")
        if not all(map(math.isfinite, (*self.image_mean, *self.image_std, self.rescale_factor))):
            raise ValueError("a mean, a deviation or a rescale_factor that is not finite")
        if self._largest() > MOST_VALUE:
            raise ValueError(f"values that normalise to {self._largest():,.0f}, over {MOST_VALUE:,}")
        if self.resample not in tuple(Image.Resampling):
            raise ValueError(f"no filter of Pillow has the number {self.resample}")

    def _largest(self) -> float:
        """The magnitude of the largest value that a byte can become; infinite where no float holds it."""
        white = 255 * self.rescale_factor if self.do_rescale else 255.0
        if not self.do_normalize:
            return white
        spread = zip(self.image_mean, self.image_std, strict=True)
        return max(abs(mean) / deviation + white / deviation for mean, deviation in spread)

    @property
    def factor(self) -> int:
        """Both sides of a resized image are multiples of this."""
        return self.patch_size * self.merge_size


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """An image cut up.

    `values` is float32 of shape (rows * columns, 3 * patch_size**2), a patch flattened channel by channel.
    The `merge_size**2` patches that become one token stand together, row by row; so do the tokens.
    """

    values: NDArray[np.float32]
    rows: int
    columns: int


def smart_resize(height: int, width: int, settings: ImageSettings) -> tuple[int, int]:
    """The height and width, in pixels, at which the model reads an image; transformers' `smart_resize`.

    Raises:
        InvalidDocument: the image has no pixels.
        TooLarge: one side is more than MAX_ASPECT_RATIO times the other.
    """
    if min(height, width) < 1:
        raise InvalidDocument(f"the region is empty: {width} x {height} pixels")
    factor = settings.factor
    tall, wide = height, width
    if tall < factor:
        tall, wide = factor, round(wide * factor / tall)
    if wide < factor:
        tall, wide = round(tall * factor / wide), factor
    if max(tall, wide) > MAX_ASPECT_RATIO * min(tall, wide):
        raise TooLarge(
            f"the region is {width} x {height} pixels; the model reads none with one side more than "
            f"{MAX_ASPECT_RATIO} times the other",
            what="aspect ratio",
            limit=str(MAX_ASPECT_RATIO),
        )
    rounded = round(tall / factor) * factor, round(wide / factor) * factor
    if rounded[0] * rounded[1] > settings.max_pixels:
        shrink = math.sqrt(tall * wide / settings.max_pixels)
        return _at_least(factor, math.floor(tall / shrink / factor)), _at_least(
            factor, math.floor(wide / shrink / factor)
        )
    if rounded[0] * rounded[1] < settings.min_pixels:
        grow = math.sqrt(settings.min_pixels / (tall * wide))
        return math.ceil(tall * grow / factor) * factor, math.ceil(wide * grow / factor) * factor
    return rounded


def _at_least(factor: int, count: int) -> int:
    return factor * max(1, count)


def patchify(
    pixels: RgbImage, settings: ImageSettings, max_pixels: int | None = None, min_pixels: int | None = None
) -> Patches:
    """An image, uint8 of shape (height, width, 3), as patches; limits given here come first.

    Equal to the last bit to transformers' PIL processor, but for the patches' order: there it is row-major.

    Raises:
        InvalidDocument: the image has no pixels.
        TooLarge: it is too long for its width, or the other way round.
    """
    limits = msgspec.structs.replace(
        settings,
        max_pixels=settings.max_pixels if max_pixels is None else max_pixels,
        min_pixels=settings.min_pixels if min_pixels is None else min_pixels,
    )
    height, width = smart_resize(pixels.shape[0], pixels.shape[1], limits)
    resized = Image.fromarray(pixels).resize((width, height), Image.Resampling(settings.resample))
    rows, columns = height // settings.patch_size, width // settings.patch_size
    return Patches(_cut(np.asarray(resized), settings), rows, columns)


def _cut(image: RgbImage, settings: ImageSettings) -> NDArray[np.float32]:
    """Normalised patches of an image whose sides are multiples of the factor."""
    merge, patch = settings.merge_size, settings.patch_size
    down, across = image.shape[0] // settings.factor, image.shape[1] // settings.factor
    values = np.empty((down, across, merge, merge, 3, patch, patch), np.float32)
    table = normalised_bytes(settings)
    for channel, plane in enumerate(cv2.split(image)):
        blocks = cv2.LUT(plane, table[channel]).reshape(down, merge, patch, across, merge, patch)
        values[:, :, :, :, channel] = blocks.transpose(0, 3, 1, 4, 2, 5)
    return values.reshape(down * across * merge**2, 3 * patch**2)


def normalised_bytes(settings: ImageSettings) -> NDArray[np.float32]:
    """What each value of a byte becomes in each channel, of shape (3, 256).

    An image has 768 different values at most, so it is looked up, and the arithmetic can be transformers'
    own: the scale in float64, rounded to float32, then mean and deviation in float32.
    """
    levels = np.arange(256, dtype=np.float64)
    if settings.do_rescale:
        levels = levels * settings.rescale_factor
    table = np.repeat(levels.astype(np.float32)[None], 3, axis=0)
    if settings.do_normalize:
        mean = np.array(settings.image_mean, np.float32)[:, None]
        table = (table - mean) / np.array(settings.image_std, np.float32)[:, None]
    return np.asarray(table, np.float32)
