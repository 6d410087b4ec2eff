r"""Lines that a model wrote, without their places on the page, joined into running text.

The counterpart of `join_lines`: `\n` where a line was meant to end, `\n\n` between paragraphs. A model that
writes a line end mostly means it, so that lines are joined in clear cases only.
"""

from collections.abc import Sequence
from itertools import groupby

from vlm_stage.postprocess.glue import glue
from vlm_stage.postprocess.scripts import (
    ends_sentence,
    ends_spaceless,
    starts_item,
    starts_label,
    starts_spaceless,
    width_units,
)

_LONG_LINE = 30  # width units: 15 Han characters, below which lines are those of lists, forms and verse
_MAX_EVIDENCE = 8_000  # characters of text that is asked how a word is spelt; longer text is not asked
_FULL_LATIN, _FULL_HAN = 0.75, 0.9  # of the longest line


def unwrap_lines(text: str) -> str:
    """The text, its paragraphs parted by one empty line, lines that the page's width broke joined."""
    lines = [line.strip() for line in text.split("\n")]
    blocks = [list(block) for filled, block in groupby(lines, key=bool) if filled]
    return "\n\n".join(_unwrapped(block) for block in blocks)


def one_line(text: str) -> str:
    """All lines as one."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    whole = _evidence(lines)
    parts = lines[:1]
    for line in lines[1:]:
        _add(parts, line, whole)
    return "".join(parts)


def _unwrapped(lines: Sequence[str]) -> str:
    widest = max(map(width_units, lines))
    whole = _evidence(lines)
    parts = list(lines[:1])
    for line in lines[1:]:
        if _runs_on(parts[-1], line, widest):
            _add(parts, line, whole)
        else:
            parts += ["\n", line]
    return "".join(parts)


def _evidence(lines: Sequence[str]) -> str:
    whole = " ".join(lines)
    return whole if len(whole) <= _MAX_EVIDENCE else ""


def _add(parts: list[str], line: str, whole: str) -> None:
    """Glues a line to the last part, which is the line before it."""
    glued = glue(parts[-1], line, whole)
    parts[-1:] = [glued[: -len(line)], line]


def _runs_on(before: str, line: str, widest: int) -> bool:
    """Whether a line goes on with the sentence of the one before it, which the edge broke."""
    if ends_sentence(before) or starts_item(line) or starts_label(line):
        return False
    if before[-1] in "-\u00ad" and before[-2:-1].isalpha() and line[0].islower():
        return True
    share = width_units(before) / widest if widest >= _LONG_LINE else 0.0
    if line[0].islower():
        return share >= _FULL_LATIN
    return share >= _FULL_HAN and ends_spaceless(before) and starts_spaceless(line)
