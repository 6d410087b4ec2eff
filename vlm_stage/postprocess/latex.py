r"""Formulas in text that a model wrote: `\( \)` and `\[ \]` become the dollars that Markdown knows."""

import re
from dataclasses import dataclass, field

from vlm_stage.postprocess.latex_repair import repair_latex

_MARK = re.compile(r"\\.|\$+", re.DOTALL)
_OPENS, _CLOSES = (r"\(", r"\["), (r"\)", r"\]")
_CUT_FORMULA = re.compile(r"[^\n]*\\[A-Za-z][^\n]*|[^\n]*[\^_][^\n]*")

_LATEX = re.compile(r"[\\^_{}=]|^[A-Za-z]'?$|^[A-Za-z]\([a-z]\)$")
"""What the orchestrator, too, takes for a formula between dollars; anything else would be shown with them."""
_TEXT_COMMAND = re.compile(r"\\(?:underline|text(?:bf|it|rm|tt|sf|normal)?)\s*\{(.*)\}", re.DOTALL)
_MAX_NESTED = 4
_ESCAPED = re.compile(r"\\([_%&#$])")
_DISPLAY_END = "\x1e"
_TAG = re.compile(r"\\tag\*?\s*\{([^{}]*)\}")


def normalize_delimiters(text: str) -> str:
    r"""The text with `$...$` for `\(...\)`, and `$$...$$` in a paragraph of its own for `\[...\]`.

    Every formula is made sound (`repair_latex`) and put on one line. What has no LaTeX in it (`\(12\)`), or
    is text that is underlined, as PaddleOCR-VL writes links, loses its delimiters; so does what is opened or
    closed only, but for a formula in which the text ends, which was cut. Dollars in the text stay.
    Idempotent.
    """
    if "\\" not in text:
        return text
    writer = _Writer()
    opened, end = "", 0
    for found in _MARK.finditer(text):
        mark = found[0]
        if mark not in _OPENS and mark not in _CLOSES:
            continue
        piece = text[end : found.start()]
        if opened and mark in _CLOSES:
            writer.add_formula(piece, opened == r"\[")
        else:
            writer.add_text(piece)
        opened, end = mark if mark in _OPENS else "", found.end()
    rest = text[end:]
    if opened and _CUT_FORMULA.fullmatch(rest):
        writer.add_formula(rest, opened == r"\[")
    else:
        writer.add_text(rest)
    return "".join(writer.parts)


def formula_latex(source: str) -> str:
    r"""The LaTeX of a region that is a formula: no delimiters, sound, several formulas one below the other.

    Idempotent.
    """
    formulas = map(repair_latex, _undelimited(source).split(_DISPLAY_END))
    written = [formula for formula in formulas if formula]
    if len(written) < 2 or any(_TAG.search(formula) for formula in written):
        return "\n".join(written)
    return r"\begin{gathered}" + " \\\\\n".join(written) + r"\end{gathered}"


def formula_number(source: str) -> str:
    r"""The number of a formula as text: `(1)`, also where it was read as `\tag{1}` or as a formula."""
    text = _undelimited(normalize_delimiters(source)).replace(_DISPLAY_END, " ")
    return _TAG.sub(r"(\1)", text).replace("((", "(").replace("))", ")").strip()


@dataclass(slots=True)
class _Writer:
    """Text and formulas, kept apart where they would run together."""

    parts: list[str] = field(default_factory=list)
    _after: str = ""
    """What has to stand between the last part and the next: nothing, a space, or an empty line."""

    def add_text(self, text: str) -> None:
        if not text:
            return
        if self._after == "\n\n":
            text = text.lstrip()
        if text:
            needs_space = self._after == " " and (text[0].isdigit() or text[0] == "$")
            between = self._after if self._after == "\n\n" or needs_space else ""
            self.parts += [between, text]
            self._after = ""

    def add_formula(self, source: str, is_display: bool) -> None:
        latex = repair_latex(" ".join(_undelimited(source).replace(_DISPLAY_END, " ").split()))
        text = _as_text(latex)
        if text is not None:
            self.add_text(text)
        elif is_display:
            self._add_display(latex)
        else:
            between = " " if not self._after and self._ends_in_dollar() else self._after
            self.parts += [between, f"${latex}$"]
            self._after = " "

    def _add_display(self, latex: str) -> None:
        while self.parts and not self.parts[-1].strip():
            self.parts.pop()
        if self.parts:
            self.parts[-1] = self.parts[-1].rstrip()
            self.parts.append("\n\n")
        self.parts.append(f"$${latex}$$")
        self._after = "\n\n"

    def _ends_in_dollar(self) -> bool:
        return bool(self.parts) and self.parts[-1].endswith("$")


def _undelimited(latex: str) -> str:
    """The formula without delimiters; `_DISPLAY_END` stands where a displayed one ended, or began."""
    return _MARK.sub(_without_delimiter, latex.replace(_DISPLAY_END, ""))


def _without_delimiter(found: re.Match[str]) -> str:
    mark = found[0]
    if mark == r"\]" or mark.startswith("$$"):
        return _DISPLAY_END
    return "" if mark in _OPENS or mark in _CLOSES or mark[0] == "$" else mark


def _as_text(latex: str) -> str | None:
    """What a formula says if it is no more than text; None where it is LaTeX."""
    inner = latex
    for _ in range(_MAX_NESTED):
        command = _TEXT_COMMAND.fullmatch(inner)
        inner = command[1].strip() if command else inner
    text = _ESCAPED.sub(r"\1", inner)
    if inner == latex:
        return None if _LATEX.search(text) else text
    return None if re.search(r"[\\^{}$]", text) else text
