r"""LaTeX made sound: every brace, environment and `\left` closed, so that a cut formula can be shown."""

import re
from collections import Counter
from dataclasses import dataclass, field

from vlm_stage.postprocess.latex_tokens import ARGUMENTS, ENVIRONMENT_ARGUMENTS, GLUED, TOKEN

_CUT_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{[^{}\\]*")


def repair_latex(source: str) -> str:
    r"""The formula with all that opens closed, and what closes nothing left out.

    Where it was cut, an unfinished command at its end goes, and arguments that are missing there are empty.
    Also mended is what PaddleOCR-VL is known to write: `\inZ` for `\in Z`, and underscores in a row, which
    stand for a blank to be filled in, without backslashes. Sound LaTeX stays as it is. Idempotent.
    """
    writer = _Writer()
    for token in TOKEN.finditer(_without_cut_environment(source.strip())):
        writer.add(token)
    return writer.finished()


def _without_cut_environment(source: str) -> str:
    while True:
        start = source.rfind("\\")
        is_pair = (start - len(source[:start].rstrip("\\"))) % 2 == 1
        if start < 0 or is_pair or not _CUT_ENVIRONMENT.fullmatch(source, start):
            return source
        source = source[:start]


@dataclass(slots=True)
class _Scope:
    """What is open within an environment, or outside of all.

    `marks` are braces and lefts, each with how many arguments its command waits for after it.
    """

    environment: str
    marks: list[tuple[str, int]] = field(default_factory=list)
    braces: int = 0
    lefts: int = 0


class _Writer:
    """Writes tokens one by one, and closes what has to be closed first."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._scopes = [_Scope("")]
        self._environments: Counter[str] = Counter()
        self._missing = 0
        """How many arguments the last command still waits for."""
        self._last_command = -1
        """Where in the output the last command stands, if nothing but blanks follows it."""
        self._missing_before = 0
        """How many arguments were waited for before that command."""

    def add(self, token: re.Match[str]) -> None:
        kind = token.lastgroup or ("right" if token[0].startswith(r"\right") else "")
        if kind != "space":
            self._last_command = -1
        match kind:
            case "begin":
                self._begin(token)
            case "end":
                self._end(token)
            case "left":
                self._push(token[0], "left")
            case "right":
                self._right(token)
            case "open":
                self._push("{", "brace")
            case "close":
                self._close_brace()
            case "command":
                self._command(token["command"])
            case _:
                self._plain(kind, token[0])

    def finished(self) -> str:
        is_cut = len(self._scopes) > 1 or bool(self._scopes[0].marks)
        if is_cut and self._last_command >= 0:
            del self._out[self._last_command :]
            self._missing = self._missing_before
        while self._out and self._out[-1].strip() in ("", "\\"):
            self._out.pop()
        while len(self._scopes) > 1:
            self._close_environment()
        self._close_marks(0)
        return "".join(self._out).strip()

    def _plain(self, kind: str, text: str) -> None:
        if kind == "script":
            self._fill()
            self._missing = 1
        elif kind != "space":
            self._missing = max(0, self._missing - 1)
        blank = r"\_" * text.count("_") if kind == "blank" else text
        self._out.append(blank)

    def _command(self, name: str) -> None:
        if name in ("begin", "end", "left"):
            self._leave_out()  # without what it needs
            return
        glued = GLUED.fullmatch(name)
        self._missing_before = self._missing
        self._missing = max(ARGUMENTS.get(name, 0), self._missing - 1)
        self._last_command = len(self._out)
        self._out.append(rf"\{glued[1]} {glued[2]}" if glued else rf"\{name}")

    def _push(self, text: str, mark: str) -> None:
        scope = self._scopes[-1]
        scope.marks.append((mark, max(0, self._missing - 1)))
        scope.braces += mark == "brace"
        scope.lefts += mark == "left"
        self._missing = 0
        self._out.append(text)

    def _begin(self, token: re.Match[str]) -> None:
        name = token["begin"]
        self._scopes.append(_Scope(name))
        self._environments[name] += 1
        self._missing = ENVIRONMENT_ARGUMENTS.get(name, 0)
        self._out.append(token[0])

    def _end(self, token: re.Match[str]) -> None:
        name = token["end"]
        if not self._environments[name]:
            self._leave_out()
            return
        while self._scopes[-1].environment != name:
            self._close_environment()
        self._close_environment()

    def _close_environment(self) -> None:
        self._close_marks(0)
        name = self._scopes.pop().environment
        self._environments[name] -= 1
        self._out.append(rf"\end{{{name}}}")
        self._missing = 0

    def _close_brace(self) -> None:
        scope = self._scopes[-1]
        if scope.braces:
            self._close_until("brace", "}")
        else:
            self._leave_out()

    def _right(self, token: re.Match[str]) -> None:
        if self._scopes[-1].lefts:
            self._close_until("left", token[0] if token["right"] else token[0].rstrip() + ".")
        elif token["right"]:
            self._plain("text", token["right"])
        else:
            self._leave_out()

    def _close_until(self, mark: str, closing: str) -> None:
        scope = self._scopes[-1]
        while scope.marks[-1][0] != mark:
            self._close_marks(len(scope.marks) - 1)
        self._close_last(closing)

    def _close_marks(self, depth: int) -> None:
        scope = self._scopes[-1]
        while len(scope.marks) > depth:
            self._close_last("}" if scope.marks[-1][0] == "brace" else r"\right.")
        self._fill()

    def _close_last(self, closing: str) -> None:
        self._fill()
        scope = self._scopes[-1]
        mark, missing = scope.marks.pop()
        scope.braces -= mark == "brace"
        scope.lefts -= mark == "left"
        self._out.append(closing)
        self._missing = missing

    def _leave_out(self) -> None:
        """Keeps apart what stood on both sides of a token that is not written."""
        self._out.append(" ")

    def _fill(self) -> None:
        self._out.append("{}" * self._missing)
        self._missing = 0
