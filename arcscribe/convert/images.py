"""Messages into types and back: the pixels of pages and crops."""

import struct
import zlib
from io import BytesIO

import numpy as np
from PIL import Image

from arcscribe.errors import InvalidOption, TooLarge
from arcscribe.types import RgbImage
from arcscribe.v1 import page_pb2

MAX_IMAGE_PIXELS = 64_000_000
"""The largest image a stage accepts; a page that the orchestrator renders stays well below it."""

_DAMAGED = (OSError, SyntaxError, ValueError, struct.error, zlib.error)
"""What Pillow's decoders raise."""


def image_to_message(image: RgbImage) -> page_pb2.Image:
    """The message of a uint8 array of shape (height, width, 3), RGB, uncompressed."""
    height, width = image.shape[:2]
    return page_pb2.Image(
        width=width, height=height, encoding=page_pb2.IMAGE_ENCODING_RGB8, data=image.tobytes()
    )


def image_from_message(message: page_pb2.Image) -> RgbImage:
    """A uint8 array of shape (height, width, 3), RGB; read-only where the message was uncompressed.

    Raises:
        InvalidOption: the bytes are no such image.
        TooLarge: more than `MAX_IMAGE_PIXELS`.
    """
    if message.encoding == page_pb2.IMAGE_ENCODING_RGB8:
        return _raw_image(message)
    if message.encoding in {page_pb2.IMAGE_ENCODING_PNG, page_pb2.IMAGE_ENCODING_JPEG}:
        return _decoded_image(message)
    raise InvalidOption("image.encoding is not set", field="image.encoding")


def is_compressed(message: page_pb2.Image) -> bool:
    """Whether it takes time to decode."""
    return message.encoding != page_pb2.IMAGE_ENCODING_RGB8


def _raw_image(message: page_pb2.Image) -> RgbImage:
    _check_pixels(message.width, message.height)
    if len(message.data) != message.width * message.height * 3:
        raise InvalidOption("image.data is not width * height * 3 bytes", field="image.data")
    return np.frombuffer(message.data, dtype=np.uint8).reshape(message.height, message.width, 3)


def _decoded_image(message: page_pb2.Image) -> RgbImage:
    file_format = "PNG" if message.encoding == page_pb2.IMAGE_ENCODING_PNG else "JPEG"
    try:
        with Image.open(BytesIO(message.data), formats=[file_format]) as picture:
            _check_size(message, picture.size)
            return np.asarray(picture.convert("RGB"))
    except Image.DecompressionBombError:
        raise _too_many_pixels("many times too many") from None
    except _DAMAGED as error:
        raise InvalidOption(f"image.data is not a {file_format} file", field="image.data") from error


def _check_size(message: page_pb2.Image, size: tuple[int, int]) -> None:
    _check_pixels(*size)
    if (message.width, message.height) not in {(0, 0), size}:
        raise InvalidOption("image.width and image.height are not those of its data", field="image")


def _check_pixels(width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise InvalidOption("the image is empty", field="image")
    if width * height > MAX_IMAGE_PIXELS:
        raise _too_many_pixels(str(width * height))


def _too_many_pixels(count: str) -> TooLarge:
    return TooLarge(
        f"the image has {count} pixels; the limit is {MAX_IMAGE_PIXELS}",
        what="image pixels",
        limit=str(MAX_IMAGE_PIXELS),
    )
