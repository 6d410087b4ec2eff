"""Putting the end of one line and the start of the next together, the way their script wants it."""

import re

from vlm_stage.postprocess.scripts import ends_spaceless, starts_spaceless

_CUT_WORD = re.compile(r"([^\W\d_]+)[-‐\u00ad]$")
_WORD_START = re.compile(r"[^\W\d_]+")
_KEEPS_HYPHEN = frozenset(
    {
        "all",
        "cross",
        "ex",
        "first",
        "half",
        "high",
        "ill",
        "left",
        "long",
        "low",
        "multi",
        "non",
        "one",
        "quasi",
    }
    | {"real", "right", "second", "self", "semi", "short", "single", "third", "three", "two", "well"}
)
"""First parts of English compounds that are written with a hyphen wherever the line ends."""


def glue(before: str, after: str, whole: str = "") -> str:
    """The two as one run of text.

    Args:
        before: text up to the end of a line.
        after: the line that goes on.
        whole: the text that both belong to; if the word stands there uncut, that says how it is written.
    """
    if not before or not after:
        return before + after
    if before.endswith("\u00ad"):
        return before[:-1] + after
    if before[-1] in "-‐":
        return _glue_hyphen(before, after, whole)
    if ends_spaceless(before) or starts_spaceless(after):
        return before + after
    if before[-1] in "/—–" and not before[-2:-1].isspace():
        return before + after
    return f"{before} {after}"


def _glue_hyphen(before: str, after: str, whole: str) -> str:
    first, second = _CUT_WORD.search(before), _WORD_START.match(after)
    if not first or not second:
        return before + after if before[-2:-1].strip() else f"{before} {after}"
    if _is_compound(before, first[1], second[0], whole):
        return before + after
    return before[:-1] + after


def _is_compound(before: str, first: str, second: str, whole: str) -> bool:
    if not second[0].islower() or not first[-1].islower():
        return True
    words = whole.lower()
    if re.search(rf"\b{re.escape(f'{first}-{second}'.lower())}\b", words):
        return True
    if re.search(rf"\b{re.escape((first + second).lower())}\b", words):
        return False
    has_hyphen_already = before[: -len(first) - 1].endswith("-")
    return has_hyphen_already or first.lower() in _KEEPS_HYPHEN
