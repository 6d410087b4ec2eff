"""How a title or an item is numbered: `第三章`, `（二）`, `2.1`, `IV.`, `Article 5`, `(a)`."""

import re
from dataclasses import dataclass

_HAN = "[一二三四五六七八九十百千零〇两\\d]{1,6}"

_COUNTED = "(?:\\d{1,3}|[a-z]|[ivxlc]+|one|two|three|four|five|six|seven|eight|nine|ten)\\b"

_STYLES: tuple[tuple[str, str], ...] = (
    (f"第\\s*{_HAN}\\s*[编編篇]|第\\s*{_HAN}\\s*部[分份]|part\\s+{_COUNTED}", "part"),
    (
        f"第\\s*{_HAN}\\s*章|(?:chapter|appendix|annex)\\s+{_COUNTED}|附[录錄件]\\s*[A-Z\\d一二三四五六七八九十]",
        "chapter",
    ),
    (f"第\\s*{_HAN}\\s*[节節]|section\\s+{_COUNTED}", "section"),
    (f"第\\s*{_HAN}\\s*[条條款]|(?:article|clause)\\s+{_COUNTED}", "article"),
    ("(?:[IVX]|[IVXLC]{2,6})[.．、](?=\\s|[^\\x00-\\x7f])", "roman"),
    ("[一二三四五六七八九十百]{1,4}\\s*[、．.]", "han"),
    ("[（(]\\s*[一二三四五六七八九十百]{1,4}\\s*[）)]", "han in brackets"),
    ("[A-H](?:[.．]\\d{1,3})+(?=\\s)|[A-H][.．、](?=\\s|[^\\x00-\\x7f])", "letter"),
    ("\\d{1,3}(?:[.．]\\d{1,3})*(?:[.．、](?!\\d)|(?=\\s)|(?=[^\\x00-\\x7f\\d]))", "decimal"),
    ("[（(]\\s*\\d{1,3}\\s*[）)]|\\d{1,3}[）)]|[①-⑳]", "number in brackets"),
    ("[（(]?[a-z][）)]|[（(]?[ivx]{1,5}[）)]", "small letter"),
)
"""Regular expressions of the styles, from the outermost, as Chinese and English documents nest them."""

_NAMES = [name for _, name in _STYLES]
_WORDED = _NAMES.index("article")  # styles up to here say what they number
_PATTERNS = [
    re.compile(pattern, re.IGNORECASE if rank <= _WORDED else 0) for rank, (pattern, _) in enumerate(_STYLES)
]
_UNIT = re.compile(r"\s*[年月日元%％]")


@dataclass(frozen=True, slots=True, order=True)
class Numbering:
    """A style of numbering; a lower rank stands further out. `depth` is 2 for `1.2` and `A.1`."""

    rank: int
    depth: int = 1

    @property
    def is_worded(self) -> bool:
        """Whether it says what it numbers, as `第一章` and `Article 5` do."""
        return self.rank <= _WORDED


def numbering_of(text: str) -> Numbering | None:
    """How a title is numbered; None if it is not, as a bare number or an amount (`5 元`) is not."""
    for rank, pattern in enumerate(_PATTERNS):
        match = pattern.match(text)
        if match is None:
            continue
        rest = text[match.end() :]
        if rank > _WORDED and (not rest.strip(" .．、:：") or _UNIT.match(rest)):
            return None
        numbers = len(re.findall(r"[.．]\d", match[0])) if rank > _WORDED else 0
        return Numbering(rank, 1 + numbers)
    return None
