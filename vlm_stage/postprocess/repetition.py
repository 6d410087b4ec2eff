"""Text in which a model went round in circles, cut to what it had to say.

The rules and thresholds are those of paddlex 3.7.2 (`pipelines/paddleocr_vl`), which go by characters; a loop
that lasts is better stopped while the model writes (`engines/paddleocr_vl/decoding/loop_detector.py`). Unlike
there, what was repeated stays once, and lines that were not repeated stay.
"""

from collections import Counter
from collections.abc import Sequence

MIN_LENGTH = 50
"""Characters of text from which on repetition is looked for."""

MIN_TABLE_LENGTH = 5000
"""The same for the source of a table, where cells repeat."""

_MIN_LENGTH_OF_SUFFIX_RULE = 100
_MIN_UNIT, _MIN_UNITS, _MIN_SHARE = 8, 5, 0.5
_MIN_PERIODS = 10
_MIN_LINES, _MIN_SHARE_OF_LINES = 10, 0.8


def without_repetition(text: str, min_length: int = MIN_LENGTH) -> str:
    """The text, with what it repeats once; as it is where nothing repeats, or where it is shorter.

    (1) One line that is a unit 10 times or more is that unit. (2) One line of over 100 characters that ends
    in a unit of at least 8 characters 5 times or more, which is over half of it, ends in it once. (3) Of 10
    lines or more of which at least 80 % are the same, that line stands once, where it was first.

    Idempotent, never longer than the text, and linear in its length.
    """
    while len(text) >= min_length:
        stripped = text.strip()
        shorter = _with_line_once(stripped) if "\n" in stripped else _with_unit_once(stripped)
        if len(shorter) == len(stripped):
            return text
        text = shorter.strip()
    return text


def _with_unit_once(line: str) -> str:
    if len(line) <= _MIN_PERIODS:
        return line
    runs = _suffix_runs(line)
    for period in range(1, len(line) // _MIN_PERIODS + 1):
        if runs[period] == len(line):
            return line[:period]
    return _with_suffix_once(line, runs) if len(line) > _MIN_LENGTH_OF_SUFFIX_RULE else line


def _with_suffix_once(line: str, runs: Sequence[int]) -> str:
    for unit in range(_MIN_UNIT, len(line) // _MIN_UNITS + 1):
        count = runs[unit] // unit
        if count >= _MIN_UNITS and count * unit > _MIN_SHARE * len(line):
            return line[: len(line) - runs[unit] + unit]
    return line


def _with_line_once(text: str) -> str:
    lines = text.split("\n")
    counts = Counter(line.strip() for line in lines if line.strip())
    most, count = counts.most_common(1)[0]
    if count < _MIN_LINES or count < _MIN_SHARE_OF_LINES * counts.total():
        return text
    first = next(index for index, line in enumerate(lines) if line.strip() == most)
    kept = [line for index, line in enumerate(lines) if index == first or line.strip() != most]
    return "\n".join(kept).strip()


def _suffix_runs(text: str) -> list[int]:
    """For each p, how long the longest end of the text is that has the period p; for 0 it means nothing.

    The Z-function of the text backwards (Gusfield, "Algorithms on Strings, Trees and Sequences"), plus p.
    """
    back = text[::-1]
    length = len(back)
    runs = [0] * length
    left = right = 0
    for start in range(1, length):
        same = min(right - start, runs[start - left] - (start - left)) if start < right else 0
        same = max(same, 0)
        while start + same < length and back[same] == back[start + same]:
            same += 1
        if start + same > right:
            left, right = start, start + same
        runs[start] = start + same
    return runs
