"""From rows of logits to tokens.

Whatever the options, the next token is a function of the tokens before it and of the seed: what is random in
token i is a number that belongs to (seed, i). Batching, preemption and recomputation change nothing, and a
draft is verified under sampling exactly as under greedy decoding: token for token against what is drawn in
its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.decoding.logits_filters import (
    draw,
    nucleus,
    penalise_repetition,
    uniform_of,
)

_LEAST_TEMPERATURE = 1e-5
"""Below this float32 logits divided by it say nothing but which is the largest."""


@dataclass(frozen=True, slots=True)
class SamplingOptions:
    """How tokens are chosen: by default the likeliest each time.

    `temperature` is at least 0, and 0 is greedy; `top_p` is over 0 and at most 1; `repetition_penalty` is
    over 0; `seed` is at least 0.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    repetition_penalty: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        assert self.temperature >= 0, self.temperature
        assert 0 < self.top_p <= 1, self.top_p
        assert self.repetition_penalty > 0, self.repetition_penalty
        assert self.seed >= 0, self.seed

    @property
    def draws(self) -> bool:
        """Whether anything is random."""
        return self.temperature >= _LEAST_TEMPERATURE

    @property
    def penalises(self) -> bool:
        """Whether it matters which tokens were there before."""
        return self.repetition_penalty != 1

    @property
    def takes_largest(self) -> bool:
        """Whether the largest logit is all that is wanted, which needs no `Sampler`."""
        return not self.draws and not self.penalises


@dataclass(frozen=True, slots=True)
class SampledRows:
    """The rows of one sequence in a step: one for the next token, and one after each token of its draft.

    `first_index` is the number of tokens generated so far. `history` holds the ids of prompt and output, and
    is read for the repetition penalty only. Placeholders of the image count as transformers counts them: no
    image token is ever wanted in the output, so nothing is gained by telling them apart.
    """

    options: SamplingOptions
    first_index: int = 0
    history: Sequence[int] = ()
    draft: Sequence[int] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """For each row the token, int64 [R], and its probability, float32 [R].

    The probability is the model's own, before penalty, temperature and top_p. It is NaN where the row holds
    NaN or plus infinity: the model has failed there, and the token means nothing.
    """

    tokens: NDArray[np.int64]
    probabilities: NDArray[np.float32]


class Sampler:
    """Chooses tokens for rows of logits in memory that is taken once. For one thread."""

    def __init__(self, vocabulary: int) -> None:
        self._scores = np.empty(vocabulary, dtype=np.float32)

    def choose(self, logits: NDArray[np.float32], sequences: Sequence[SampledRows]) -> Chosen:
        """The token of every row.

        The order is that of transformers 5.24's `generate`: repetition penalty, temperature, top_p.

        Args:
            logits: shape (R, vocabulary), only read.
            sequences: what the rows belong to, in order; with their drafts they make R rows.
        """
        tokens = logits.argmax(axis=1)
        largest = logits[np.arange(len(logits)), tokens]
        row = 0
        for sequence in sequences:
            for position in range(1 + len(sequence.draft)):
                if not sequence.options.takes_largest and np.isfinite(largest[row]):
                    tokens[row] = self._choose_other(logits[row], sequence, position)
                row += 1
        assert row == len(logits), f"{row} rows are wanted, there are {len(logits)}"
        return Chosen(tokens, self._probabilities(logits, tokens, largest))

    def _choose_other(self, row: NDArray[np.float32], sequence: SampledRows, position: int) -> int:
        options, scores = sequence.options, self._scores
        np.copyto(scores, row)
        if options.penalises:
            seen = (*sequence.history, *sequence.draft[:position])
            penalise_repetition(scores, seen, options.repetition_penalty)
        if not options.draws:
            return int(scores.argmax())
        scores -= scores.max()
        scores /= options.temperature
        np.exp(scores, out=scores)
        uniform = uniform_of(options.seed, sequence.first_index + position)
        if options.top_p == 1:
            return draw(scores, uniform)
        kept = nucleus(scores, options.top_p)
        return int(kept[draw(scores[kept], uniform)])

    def _probabilities(
        self, logits: NDArray[np.float32], tokens: NDArray[np.int64], largest: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        chosen = np.full(len(logits), np.nan, dtype=np.float32)
        for row in np.flatnonzero(np.isfinite(largest)):
            np.subtract(logits[row], largest[row], out=self._scores)
            np.exp(self._scores, out=self._scores)
            chosen[row] = self._scores[tokens[row]] / self._scores.sum(dtype=np.float64)
        return chosen


def verify_draft(draft: Sequence[int], chosen: Sequence[int]) -> Sequence[int]:
    """What the model wrote in a step that verified a draft: the draft as far as it is right, and a token
    more.

    Right under every `SamplingOptions`: a chosen token is the one that would have been chosen in its place
    without a draft, as long as all before it are what was chosen too. That the chance of keeping a drafted
    token is then its probability is as much as rejection sampling gains for a draft without probabilities of
    its own.

    Args:
        draft: k tokens.
        chosen: k + 1: what was chosen after the last token known, and after each of the draft.
    """
    right = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(draft, chosen, strict=False)))
    return chosen[: right + 1]
