"""What a recogniser reads in one text line."""

from dataclasses import dataclass

from arcscribe.types import TextLine


@dataclass(frozen=True, slots=True)
class Reading:
    """The characters of a line; `confidence` is the mean of theirs, 0 to 1, and 0 where there are none."""

    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line, and what it says."""

    line: TextLine
    text: str
    confidence: float
