"""What PaddleOCR-VL answers to `Spotting:`: each line of text with its place."""

import re
from dataclasses import dataclass

from arcscribe.types import Point, SpottedText
from vlm_stage.postprocess.characters import legal_text
from vlm_stage.postprocess.latex import normalize_delimiters

_PLACE = re.compile(r"(?:<\|LOC_\d{1,6}\|>\s*)+")
_LOCATION = re.compile(r"<\|LOC_(\d{1,6})\|>")
_MARK = re.compile(r"<\|(?:TEXT_START|TEXT_END|LOC_BEGIN|LOC_END)\|>")
_CUT_MARK = re.compile(r"<\|[A-Z_\d]*\|?\Z")
_UNITS = 1000
"""Into how many parts the model divides each side of the image (paddlex 3.7.2, `pipelines/paddleocr_vl`)."""
_NUMBERS = 8


@dataclass(frozen=True, slots=True)
class Spotting:
    """The lines in the order in which they were read, and the text of those that have no whole place."""

    lines: tuple[SpottedText, ...]
    unplaced: tuple[str, ...]

    @property
    def text(self) -> str:
        """All that was read, one a line: first those that have a place."""
        return "\n".join([*(line.text for line in self.lines), *self.unplaced])


def parse_spotting(source: str, width: int, height: int) -> Spotting:
    """The lines of `text<|LOC_x|><|LOC_y|>...`, four corners each, x before y.

    The marks round texts and places that some checkpoints write besides are not needed. Of more than eight
    numbers the first eight count; a line with fewer, in which the output was cut, has no place.

    Args:
        source: the output, special tokens included.
        width: of the crop in pixels.
        height: likewise.
    """
    plain = _CUT_MARK.sub("", _MARK.sub("", legal_text(source)))
    lines: list[SpottedText] = []
    unplaced: list[str] = []
    end = 0
    for place in _PLACE.finditer(plain):
        text, end = normalize_delimiters(plain[end : place.start()].strip()), place.end()
        numbers = [int(number) for number in _LOCATION.findall(place[0])[:_NUMBERS]]
        if len(numbers) == _NUMBERS and text:
            lines.append(SpottedText(text, _polygon(numbers, width, height)))
        elif text:
            unplaced.append(text)
    rest = normalize_delimiters(plain[end:].strip())
    return Spotting(tuple(lines), (*unplaced, rest) if rest else tuple(unplaced))


def _polygon(numbers: list[int], width: int, height: int) -> tuple[Point, ...]:
    x = [min(number, _UNITS) * width / _UNITS for number in numbers[0::2]]
    y = [min(number, _UNITS) * height / _UNITS for number in numbers[1::2]]
    return tuple(zip(x, y, strict=True))
