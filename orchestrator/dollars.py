"""Formulas between dollars in running text, as VLMs write them, told from prices."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_CANDIDATE = re.compile(r"(?=(?P<d>\$\$?)(?P<latex>(?:\\.|[^$\\\n`])+?)(?P=d))")
_SURE = re.compile(r"\\[A-Za-z]|\^|_\{")
_LIKELY = re.compile(r"[\\^_{}=]|^[A-Za-z]'?$|^[A-Za-z]\([a-z]\)$")


@dataclass(frozen=True, slots=True)
class Formula:
    """Where a formula stands in a text, its dollars included, which these are, and what is between them."""

    start: int
    end: int
    dollars: str
    latex: str


def find_formulas(text: str) -> Iterator[Formula]:
    """The formulas of a text, from left to right.

    As in pandoc, no blank follows the first dollar or precedes the last, and no digit follows that; but VLMs
    put blanks there, so they may stand where what is between is LaTeX without doubt.
    """
    end = 0
    for match in _CANDIDATE.finditer(text):
        dollars, latex = match["d"], match["latex"]
        after = match.end("latex") + len(dollars)
        if match.start() >= end and _is_formula(latex, text[after : after + 1]):
            end = after
            yield Formula(match.start(), end, dollars, latex.strip())


def _is_formula(latex: str, following: str) -> bool:
    if latex != latex.strip():
        return bool(_SURE.search(latex))
    return bool(_LIKELY.search(latex)) and not following.isdigit()
