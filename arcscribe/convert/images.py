"""Messages into types and back: the pixels of pages and crops."""

from io import BytesIO

import numpy as np
from PIL import Image

from arcscribe.errors import InvalidOption, TooLarge
from arcscribe.types import RgbImage
from arcscribe.v1 import page_pb2

MAX_IMAGE_PIXELS = 64_000_000
"""The largest image a stage accepts; a page that the orchestrator renders stays well below it."""


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


def _raw_image(message: page_pb2.Image) -> RgbImage:
    _check_pixels(message.width, message.height)
    if len(message.data) != message.width * message.height * 3:
        raise InvalidOption("image.data is not width * height * 3 bytes", field="image.data")
    return np.frombuffer(message.data, dtype=np.uint8).reshape(message.height, message.width, 3)


def _decoded_image(message: page_pb2.Image) -> RgbImage:
    formats = ["PNG"] if message.encoding == page_pb2.IMAGE_ENCODING_PNG else ["JPEG"]
    try:
        with Image.open(BytesIO(message.data), formats=formats) as picture:
            _check_pixels(*picture.size)
            return np.asarray(picture.convert("RGB"))
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise InvalidOption(f"image.data is not a {formats[0]} file", field="image.data") from error


def _check_pixels(width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise InvalidOption("the image is empty", field="image")
    if width * height > MAX_IMAGE_PIXELS:
        raise TooLarge(
            f"the image has {width * height} pixels; the limit is {MAX_IMAGE_PIXELS}",
            what="image pixels",
            limit=str(MAX_IMAGE_PIXELS),
        )
