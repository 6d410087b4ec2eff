"""Characters that a text may hold."""

import re

_ILLEGAL = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LINE_END = re.compile("\r\n?|[\x85\u2028\u2029]")


def legal_text(text: str) -> str:
    r"""The text without characters that neither XML 1.0 nor UTF-8 can carry, its line ends all `\n`."""
    return _ILLEGAL.sub("", _LINE_END.sub("\n", text))
