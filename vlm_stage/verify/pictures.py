"""What is read to verify a model: the user's pictures, or a few that are drawn here."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from arcscribe.errors import InvalidOption
from arcscribe.types import RgbImage
from vlm_stage.engines.paddleocr_vl.conversion.pictures import SUFFIXES, picture_files, read_picture
from vlm_stage.engines.paddleocr_vl.inputs.prompts import Task

MOST_PICTURES = 8
"""Of a folder, the first by name; as many sequences are decoded side by side."""

_WORDS = (
    "The supplier delivers within 30 days of the order.",
    "Invoice No. 4711 of 3 May 2026: total 1,204.50 EUR",
    "of which value added tax 19 % 192.31 EUR",
    "The risk passes with the delivery, and not before.",
    "Page 12 of 48  -  printed on 2026-05-03 at 14:07",
)
_LINE = 40
"""Pixels from one line to the next."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """What is shown, uint8 (height, width, 3), and asked; `name` is for people."""

    name: str
    pixels: RgbImage
    prompt: str


def drawn_pictures() -> tuple[Picture, ...]:
    """A line, a column, a table and a formula: of different sizes and shapes, and each with its task."""
    return (
        Picture("line", _page([_WORDS[1]], 900), Task.OCR),
        Picture("column", _page(_WORDS * 3, 860), Task.OCR),
        Picture("table", _table(), Task.TABLE),
        Picture("formula", _page(["x2 + y2 = (a + b) / 2"], 420), Task.FORMULA),
    )


def pictures_in(folder: Path) -> tuple[Picture, ...]:
    """The first pictures of a folder, by name, each to be read as text.

    Raises:
        InvalidOption: there is no such folder, it holds no picture, or one that cannot be read.
    """
    if not folder.is_dir():
        raise InvalidOption(f"{folder} is no folder", field="images")
    paths = picture_files(folder)
    if not paths:
        raise InvalidOption(f"{folder} holds no picture ({', '.join(sorted(SUFFIXES))})", field="images")
    return tuple(Picture(path.name, read_picture(path, "images"), Task.OCR) for path in paths[:MOST_PICTURES])


def _page(lines: Iterable[str], width: int) -> RgbImage:
    texts = list(lines)
    page = np.full((_LINE * len(texts) + 24, width, 3), 255, np.uint8)
    for number, text in enumerate(texts):
        _write(page, text, 12, _LINE * (number + 1))
    return page


def _table() -> RgbImage:
    page = np.full((300, 640, 3), 255, np.uint8)
    for row in range(5):
        cv2.line(page, (10, 20 + 60 * row), (630, 20 + 60 * row), (0, 0, 0), 2)
    for column in range(4):
        cv2.line(page, (10 + 206 * column, 20), (10 + 206 * column, 260), (0, 0, 0), 2)
    for row in range(4):
        for column in range(3):
            _write(page, f"{(row + 1) * (column + 7) * 13.5:.2f}", 30 + 206 * column, 60 + 60 * row)
    return page


def _write(page: RgbImage, text: str, left: int, base: int) -> None:
    cv2.putText(page, text, (left, base), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (0, 0, 0), 2, cv2.LINE_AA)
