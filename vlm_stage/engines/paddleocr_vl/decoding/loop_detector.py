"""Loops in what the model writes, found while it writes."""

from dataclasses import dataclass

MAX_PERIOD = 256
"""The longest unit, in tokens, that is found to repeat."""

_STRIDE = 16  # tokens between two searches for a new period
_SCALES = (8, 16, 32, 64, 128, MAX_PERIOD)  # lengths of the ends that are searched for


@dataclass(frozen=True, slots=True)
class LoopLimits:
    """From when on repetition is a loop: so many units, and so many tokens in all, at least."""

    units: int
    tokens: int

    def tokens_for(self, period: int) -> int:
        """The tokens that a unit of so many tokens has to repeat over."""
        return max(self.units * period, self.tokens)


TEXT_LIMITS = LoopLimits(units=6, tokens=384)
"""For text, and within a row of a table.

A page has up to some 80 lines: a column of `0.00` on each of them, 5 tokens with its line end, makes 400 only
where all are the same; leaders and blanks (`......`, `____`) reach across a page with at most 200. Six times
the same 64 tokens, 45 words, is no text, but three or four times may be a form's fields. Being late costs a
few hundred steps of one sequence, being early the rest of a region, so both are set high.
"""

ROW_LIMITS = LoopLimits(units=8, tokens=1600)
"""For rows of a table: a blank form of 20 columns has the same row of 21 tokens up to 75 times.

Rows of more than 200 tokens are full of text, which no table has eight times over.
"""


@dataclass(frozen=True, slots=True)
class Loop:
    """A unit of `period` tokens that the output ends in several times; the first ends after `keep` tokens."""

    period: int
    keep: int


class LoopDetector:
    """Told the tokens of one sequence, one by one, says when they have gone into a loop.

    A loop is an end of the sequence with a period of at most `MAX_PERIOD` that is as long as the limits say.
    It is found at the very token that completes it. New periods are looked for every 16 tokens only, as the
    nearest earlier place of the last 8, 16, ... 256 tokens: the smallest period of at most m is the distance
    to the nearest earlier place of the last m, once they have come twice. Tokens are kept as the characters
    of a string for that, since no search in Python is faster than that for a string. A period once found is
    followed token by token.

    Args:
        row_end: the id of the token that ends a table's row (`<nl>`); a unit with it may come more often.
        text_limits: for units without it.
        row_limits: for units with it.
    """

    def __init__(
        self,
        row_end: int | None = None,
        text_limits: LoopLimits = TEXT_LIMITS,
        row_limits: LoopLimits = ROW_LIMITS,
    ) -> None:
        self._row_end = None if row_end is None else chr(row_end)
        self._text_limits, self._row_limits = text_limits, row_limits
        self._tokens: list[str] = []
        self._runs: dict[int, tuple[int, int]] = {}
        """By period: how long the end that has it is, and how long it has to be."""

    def feed(self, token: int) -> Loop | None:
        """Takes the next token, 0 <= token < 0x110000; the loop that it completes, if it does."""
        tokens = self._tokens
        tokens.append(chr(token))
        if self._runs:
            self._follow()
        if len(tokens) % _STRIDE == 0:
            self._search()
        for period, (run, needed) in self._runs.items():
            if run >= needed:
                return Loop(period, len(tokens) - run + period)
        return None

    def _follow(self) -> None:
        tokens = self._tokens
        last = tokens[-1]
        self._runs = {
            period: (run + 1, needed)
            for period, (run, needed) in self._runs.items()
            if tokens[-1 - period] == last
        }

    def _search(self) -> None:
        newest_first = "".join(self._tokens[: -2 * MAX_PERIOD - 1 : -1])
        for scale in _SCALES:
            period = newest_first.find(newest_first[:scale], 1)
            if period < 0:
                return  # nor have longer ends come before
            if period <= scale and period not in self._runs:
                self._runs[period] = self._run(period), self._needed(period)

    def _run(self, period: int) -> int:
        """How long the longest end of the sequence is that has the period."""
        tokens = self._tokens
        start = len(tokens) - period
        while start > 0 and tokens[start - 1] == tokens[start - 1 + period]:
            start -= 1
        return len(tokens) - start

    def _needed(self, period: int) -> int:
        holds_row_end = self._row_end is not None and self._row_end in self._tokens[-period:]
        return (self._row_limits if holds_row_end else self._text_limits).tokens_for(period)
