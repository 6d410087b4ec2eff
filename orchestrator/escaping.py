r"""Text to Markdown that shows the same text, with as few marks as that takes.

Rules of CommonMark 0.31 and GitHub's extensions to it. Where an entity and a backslash would both do, it is
the entity, which tools that strip Markdown undo as well. Formulas between dollars, as VLMs write them inside
text, stay formulas.
"""

import html
import re
import unicodedata
from collections.abc import Callable
from functools import partial

from orchestrator.dollars import find_formulas
from orchestrator.gluing import one_line

_SPACES = re.compile(r"[\t\v\f\r \x85\u2028\u2029]+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_PRICES = re.compile(r"\$(?!\s)((?:\\.|[^$\\\n`])+?)(?<!\s)\$(?!\d)")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_ENTITY = re.compile(r"&(?=#?\w{1,32};)")
_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~]|\Z|\n)")
_LINK = re.compile(r"\](?=[(\[:])")
_RUN = re.compile(r"\*+|_+|~+")
_RULE = re.compile(r"([-*_=+|:~])[-*_=|:~\s]*")
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|\Z)")
_MARKED = re.compile(r"(#{1,6}|[-+*])(?=\s|\Z)|(~~~)")
_ACTIVE = re.compile(
    r"(\\+)(href|url|includegraphics|html(?:Class|Id|Style|Data)|class|cssId|style|require|bbox"
    r"|[gex]?def|let|futurelet|(?:re)?newcommand|providecommand|DeclareMathOperator|(?:re)?newenvironment)"
    r"(?![A-Za-z])"
)
"""Commands with which KaTeX and MathJax open links, load, or define: no printed formula shows any of them."""
_FENCE = re.compile(r"`{3,}|~{3,}")
_PAIR_OR_BRACKET = re.compile(r"(\\.)|[\[\]]", re.DOTALL)
_CLOSING_HASHES = re.compile(r"(^|\s)(#+)\Z")


def clean(text: str) -> str:
    """The text without control characters, each run of blanks one space, lines stripped, no empty ends."""
    lines = _CONTROL.sub("", text.replace("\r\n", "\n")).split("\n")
    return "\n".join(_SPACES.sub(" ", line).strip() for line in lines).strip()


def clean_code(text: str) -> str:
    """The text without control characters and empty lines at its ends; blanks mean something in code."""
    return _CONTROL.sub("", text.replace("\r\n", "\n")).strip("\n")


def escape_inline(text: str) -> str:
    """Text for the middle of a line: what would be emphasis, a link, HTML, code or an entity stays text."""
    return _written(text, _escape_text, escape_latex)


def escape_html(text: str) -> str:
    """Text between tags of HTML."""
    return _written(
        text, partial(html.escape, quote=False), lambda latex: html.escape(_passive(latex), False)
    )


def _written(text: str, write_text: Callable[[str], str], write_latex: Callable[[str], str]) -> str:
    out: list[str] = []
    end = 0
    for formula in find_formulas(text):
        latex = f"{formula.dollars}{write_latex(formula.latex)}{formula.dollars}"
        out += [write_text(text[end : formula.start]), latex]
        end = formula.end
    return "".join([*out, write_text(text[end:])])


def escape_latex(latex: str) -> str:
    """A formula in which nothing is HTML, code or a link; the spaces that it takes mean nothing in LaTeX."""
    plain = _LINK.sub("] ", _TAG.sub("< ", _passive(latex)))
    return _FENCE.sub(lambda found: " ".join(found[0]), plain)


def _passive(latex: str) -> str:
    return _ACTIVE.sub(_shown, latex)


def _shown(command: re.Match[str]) -> str:
    """Its name without its backslash; a line break before a word keeps its own, apart from the word."""
    line_breaks = command[1][: len(command[1]) // 2 * 2]
    return f"{line_breaks} {command[2]}"


def escape_lines(text: str) -> list[str]:
    """The lines of a paragraph: what would be a heading, list, quote, table or rule stays text as well."""
    return [_escape_start(line) for line in escape_inline(text).split("\n")]


def escape_formula_lines(latex: str) -> list[str]:
    """The lines of a formula that stands by itself: none begins what Markdown would take for a block."""
    lines = escape_latex(latex).split("\n")
    return [line if _escape_start(line) == line else f"{{}}{line}" for line in lines]


def _escape_start(line: str) -> str:
    if _RULE.fullmatch(line):
        return f"\\{line}"
    if line.startswith(">"):
        return f"&gt;{line[1:]}"
    line = _NUMBERED.sub(r"\1\\\2", line) if _NUMBERED.match(line) else line
    return f"\\{line}" if _MARKED.match(line) else line


def escape_heading(text: str) -> str:
    """Text of a heading, all on one line."""
    return _CLOSING_HASHES.sub(r"\1\\\2", escape_inline(one_line(text)))


def escape_alternative(text: str) -> str:
    """Alternative text of a picture, all on one line."""
    escaped = escape_inline(one_line(text))
    return _PAIR_OR_BRACKET.sub(lambda found: found[0] if found[1] else f"\\{found[0]}", escaped)


def _escape_text(text: str) -> str:
    text = _BACKSLASH.sub(r"\\\\", text)
    text = text.replace("`", "\\`")
    text = _LINK.sub(r"\\]", text)
    text = _TAG.sub("&lt;", _ENTITY.sub("&amp;", text))
    return _escape_runs(_escape_dollars(text))


def _escape_dollars(text: str) -> str:
    """Prices between which there happens to be what reads like a formula."""
    return _PRICES.sub(r"\\$\1\\$", text)


def _escape_runs(text: str) -> str:
    """Runs of `*`, `_` and `~`, only those that could open or close emphasis, only where two can pair."""
    runs = [(match, *_flanks(text, match)) for match in _RUN.finditer(text)]
    pairing = {mark for mark in "*_~" if _can_pair([run for run in runs if run[0][0][0] == mark])}
    out, end = [], 0
    for match, opens, closes in runs:
        if match[0][0] in pairing and (opens or closes):
            out += [text[end : match.start()], *(f"\\{mark}" for mark in match[0])]
            end = match.end()
    return "".join([*out, text[end:]])


def _can_pair(runs: list[tuple[re.Match[str], bool, bool]]) -> bool:
    opened = False
    for _, opens, closes in runs:
        if closes and opened:
            return True
        opened = opened or opens
    return False


def _flanks(text: str, run: re.Match[str]) -> tuple[bool, bool]:
    """Whether a run can open and whether it can close emphasis (CommonMark 0.31, 6.2)."""
    before = text[run.start() - 1] if run.start() else " "
    after = text[run.end()] if run.end() < len(text) else " "
    left = not after.isspace() and (not _is_mark(after) or before.isspace() or _is_mark(before))
    right = not before.isspace() and (not _is_mark(before) or after.isspace() or _is_mark(after))
    if run[0][0] != "_":
        return left, right
    return left and (not right or _is_mark(before)), right and (not left or _is_mark(after))


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"
