"""Markdown reduced to the words a reader sees, so that two ways of marking up the same text compare equal."""

import html
import re
import unicodedata

CJK = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
TAG = re.compile(r"</?[A-Za-z][^<>]*>")
RULE = re.compile(r"^\s*\|?[\s:|-]*-{3}[\s:|-]*$", re.MULTILINE)
LINE_MARK = re.compile(r"^\s*(?:#{1,6}|>|[-*+])\s+", re.MULTILINE)
MATHS = re.compile(r"\$\$?|\\[\[\]()]")
EMPHASIS = re.compile(r"\*\*|__|`|(?<!\w)[*_]|[*_](?!\w)")
ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
BAR = re.compile(r"\s*\|\s*")
SPACE_AT_CJK = re.compile(rf"(?<=[{CJK}]) | (?=[{CJK}])")


def plain(markdown: str) -> str:
    """The words of a Markdown text in one line: NFKC, and no space beside a Chinese character."""
    text = COMMENT.sub(" ", markdown)
    for pattern in (PICTURE, FENCE):
        text = pattern.sub(" ", text)
    text = LINK.sub(r"\1", text)
    for pattern, new in ((TAG, " "), (RULE, " "), (LINE_MARK, ""), (MATHS, ""), (EMPHASIS, ""), (BAR, " ")):
        text = pattern.sub(new, text)
    text = unicodedata.normalize("NFKC", html.unescape(ESCAPE.sub(r"\1", text)))
    return SPACE_AT_CJK.sub("", " ".join(text.split()))
