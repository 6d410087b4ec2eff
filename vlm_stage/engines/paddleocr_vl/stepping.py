"""Writing many crops at once: schedule, run, choose, advance."""

import itertools
import math
from collections import abc
from collections.abc import Iterator
from typing import NamedTuple

from arcscribe.errors import ArcscribeError, InferenceFailed
from arcscribe.types import FinishReason
from vlm_stage.engines.paddleocr_vl.cost_measuring import measure_costs
from vlm_stage.engines.paddleocr_vl.decoder import DecoderOutputs, PagedDecoder
from vlm_stage.engines.paddleocr_vl.draft_costs import DraftCosts
from vlm_stage.engines.paddleocr_vl.failures import fail
from vlm_stage.engines.paddleocr_vl.model_config import TextConfig
from vlm_stage.engines.paddleocr_vl.sampler import Sampler
from vlm_stage.engines.paddleocr_vl.scheduler import Scheduler
from vlm_stage.engines.paddleocr_vl.step import Accepted, Chunk, Step
from vlm_stage.engines.paddleocr_vl.step_inputs import StepInputs
from vlm_stage.engines.paddleocr_vl.writing import Writing


class _Rows(NamedTuple):
    """The rows of one sequence: for each, the token that follows and its probability."""

    tokens: abc.Sequence[int]
    probabilities: abc.Sequence[float]


Ended = tuple[Writing, FinishReason]


class Writer:
    """The crops that the decoder is writing, or has room for soon. For one thread."""

    def __init__(
        self,
        scheduler: Scheduler,
        inputs: StepInputs,
        decoder: PagedDecoder,
        sampler: Sampler,
        config: TextConfig,
    ) -> None:
        self._config = config
        self._scheduler, self._inputs, self._decoder, self._sampler = scheduler, inputs, decoder, sampler
        self._writings: dict[int, Writing] = {}

    @property
    def is_idle(self) -> bool:
        return not self._writings

    @property
    def open(self) -> int:
        """How many crops it has."""
        return len(self._writings)

    def measure_costs(self, longest: int) -> DraftCosts:
        """What steps with drafts cost here; nothing may be running."""
        assert self.is_idle, "its steps would write over the cache"
        return measure_costs(self._decoder, self._config, longest)

    def add(self, writing: Writing) -> None:
        """Takes a crop whose prompt is known; one that can never fit is answered with a failure."""
        try:
            self._scheduler.add(writing.sequence)
        except ArcscribeError as error:
            fail(writing.ticket, error)
        else:
            self._writings[writing.sequence.id] = writing

    def cancel(self, id: int) -> None:  # noqa: A002
        """Forgets a crop, if it is here."""
        if self._writings.pop(id, None):
            self._scheduler.cancel(id)

    def step(self) -> list[Ended]:
        """One inference; gives the crops that have ended. A failure of the device costs the crops of the
        step."""
        step = self._scheduler.schedule()
        if step is None:
            return []
        try:
            outputs = self._decoder.run(self._inputs.of(step, self._writings))
        except Exception as error:  # OpenVINO's are RuntimeErrors, but whatever it is must end the step
            self._scheduler.abandon(step)
            self._fail([chunk.sequence.id for chunk in step.chunks], error)
            return []
        return self._advance(step, outputs)

    def _advance(self, step: Step, outputs: DecoderOutputs) -> list[Ended]:
        results = [
            self._taken(chunk, rows)
            for chunk, rows in zip(step.sampled, self._chosen(step, outputs), strict=True)
        ]
        ended = self._scheduler.advance(step, results)
        return [(self._writings.pop(finished.sequence.id), finished.reason) for finished in ended]

    def _taken(self, chunk: Chunk, rows: _Rows) -> Accepted:
        """What a crop makes of its tokens; what fails there, fails for that crop only."""
        try:
            _check_numbers(rows)
            return self._writings[chunk.sequence.id].take(chunk.draft, rows.tokens, rows.probabilities)
        except Exception as error:
            self._fail([chunk.sequence.id], error)
            return Accepted(rows.tokens[:1])

    def _chosen(self, step: Step, outputs: DecoderOutputs) -> Iterator[_Rows]:
        """For each chunk with logits, in order, the tokens of its rows: the likeliest, or those drawn."""
        tokens, probabilities = outputs.tokens.tolist(), outputs.probabilities.tolist()
        drawn = self._drawn(step, outputs)
        first = 0
        for chunk in step.sampled:
            own = slice(first, first + chunk.logits_rows)
            first += chunk.logits_rows
            if self._writings[chunk.sequence.id].sampling.takes_largest:
                yield _Rows(tokens[own], probabilities[own])
            else:
                yield _Rows(*zip(*itertools.islice(drawn, chunk.logits_rows), strict=True))

    def _drawn(self, step: Step, outputs: DecoderOutputs) -> Iterator[tuple[int, float]]:
        rows = [self._writings[chunk.sequence.id].rows(chunk) for chunk in step.sampled]
        drawn = [row for row in rows if not row.options.takes_largest]
        if not drawn:
            return iter(())
        chosen = self._sampler.choose(outputs.logits, drawn)
        return zip(chosen.tokens.tolist(), chosen.probabilities.tolist(), strict=True)

    def _fail(self, ids: abc.Iterable[int], error: Exception) -> None:
        for number in ids:
            self._scheduler.cancel(number)
            fail(self._writings.pop(number).ticket, error)


def _check_numbers(rows: _Rows) -> None:
    """Raises InferenceFailed where the model has failed, such as by an overflow of float16."""
    if not all(map(math.isfinite, rows.probabilities)):
        raise InferenceFailed("the model's outputs are no numbers")
