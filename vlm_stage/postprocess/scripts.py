"""What kind of script a character belongs to, as far as joining lines of text is concerned."""

import re
import unicodedata

_SPACELESS = re.compile(
    "[\u2e80-\u303f\u3040-\u30ff\u3100-\u312f\u31a0-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]"
)
"""Han, kana, bopomofo, and full-width marks. Hangul is left out: Korean parts its words by spaces."""

_AMBIGUOUS = "“”‘’…—·"
"""Marks of both Chinese and Latin text."""

_MARKER = re.compile(
    r"""(?:
        [•●○◦▪■□◆◇▶►➢➤✓✔※·☐☑]\s*(?=\S)
      | [-–—*+]\s+(?=\S)
      | [①-⓿❶-➓㈠-㈩]
      | [（(]\s*(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5}|[一二三四五六七八九十百]{1,4})\s*[)）]
      | (?:\d{1,3}(?:[.．]\d{1,3}){0,4}|[a-zA-Z]|[ivxIVX]{2,5})[)）]
      | \d{1,3}[、．]
      | \d{1,3}(?:\.\d{1,3}){0,4}\.(?=\s|[^\x00-\x7f]|[A-Z])
      | [a-zA-Z][.．](?=\s)
      | [一二三四五六七八九十百]{1,4}、
      | 第[一二三四五六七八九十百千零〇\d]{1,6}[章节節条條款编編篇]
      | \[\d{1,3}\]
    )""",
    re.VERBOSE,
)
"""Bullets, and numbers with the punctuation that makes them ordinals; `3.5 mm` and `2024` are none."""

_LABEL = re.compile(r"[^\s，。,.;；：:]{1,12}(?: [^\s，。,.;；：:]{1,12})?\s?[：:](?!//)")
"""One or two words and a colon: `甲方（买方）：`, `Invoice no:`."""

_TERMINAL = frozenset("。！？．.!?:：;；…")
_CLOSING = "”’\"'）)】」』》]"


def is_spaceless(character: str) -> bool:
    """Whether words of the character's script stand without spaces between them."""
    return bool(_SPACELESS.match(character))


def ends_spaceless(text: str) -> bool:
    """Whether a text ends in a spaceless script, marks that both kinds of script use apart."""
    bare = text.rstrip(_AMBIGUOUS)
    return bool(bare) and is_spaceless(bare[-1])


def starts_spaceless(text: str) -> bool:
    """Whether a text starts in a spaceless script, marks that both kinds of script use apart."""
    bare = text.lstrip(_AMBIGUOUS)
    return bool(bare) and is_spaceless(bare[0])


def is_wide(character: str) -> bool:
    """Whether the character is as wide as a Han character."""
    return unicodedata.east_asian_width(character) in "WF"


def width_units(text: str) -> int:
    """How wide a text is, in halves of a Han character."""
    return sum(2 if is_wide(character) else 1 for character in text)


def starts_item(text: str) -> bool:
    """Whether a line begins with a bullet or an ordinal number."""
    return bool(_MARKER.match(text))


def starts_label(text: str) -> bool:
    """Whether a line begins with the name of what comes behind a colon."""
    return bool(_LABEL.match(text))


def ends_sentence(text: str) -> bool:
    """Whether a line ends with a mark after which a new line may well be meant."""
    bare = text.rstrip().rstrip(_CLOSING)
    return bool(bare) and bare[-1] in _TERMINAL
