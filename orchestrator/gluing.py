"""Pieces of text put together the way their script wants it."""

import re

_CJK = re.compile("[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_HYPHENATED = re.compile(r"[A-Za-z]{2}[-\u2010\u00ad]$")


def is_cjk(character: str) -> bool:
    """Whether it is written without spaces round it: Chinese, Japanese, and their punctuation; not Korean."""
    return bool(_CJK.match(character))


def glue(first: str, second: str) -> str:
    """Two pieces of one sentence: hyphenation undone, a space between words, none in CJK."""
    if not first or not second:
        return first or second
    if _HYPHENATED.search(first) and second[0].islower():
        return first[:-1] + second
    return first + ("" if is_cjk(first[-1]) or is_cjk(second[0]) else " ") + second


def one_line(text: str) -> str:
    """Lines of text as one."""
    whole = ""
    for line in text.split("\n"):
        whole = glue(whole, line)
    return whole
