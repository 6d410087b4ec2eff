"""Lines and crops for tests, in few words."""

import numpy as np

from arcscribe.types import Box, Crop, RegionKind, TextLine
from vlm_stage.reading import ReadLine


def text_line(left: float, top: float, right: float, bottom: float, vertical: bool = False) -> TextLine:
    box = Box(left, top, right, bottom)
    return TextLine(box, box.to_polygon(), 1.0, vertical)


def read_line(text: str, left: float, top: float, right: float, height: float = 20.0) -> ReadLine:
    return ReadLine(text_line(left, top, right, top + height), text, 0.99)


def read_column(text: str, left: float, top: float, bottom: float, width: float = 20.0) -> ReadLine:
    return ReadLine(text_line(left, top, left + width, bottom, vertical=True), text, 0.99)


def block(*texts: str, pitch: float = 30.0, unit: float = 10.0, left: float = 0.0) -> list[ReadLine]:
    """Lines set flush left; a character of Latin text is `unit` wide, a Chinese one twice that."""
    return [
        read_line(
            text, left, index * pitch, left + unit * sum(1 + (ord(character) > 0x2E80) for character in text)
        )
        for index, text in enumerate(texts)
    ]


def blank_crop(
    kind: RegionKind = RegionKind.TEXT, lines: tuple[TextLine, ...] = (), number: int = 0, size: int = 200
) -> Crop:
    return Crop(number, kind, np.full((size, size, 3), 255, np.uint8), lines)
