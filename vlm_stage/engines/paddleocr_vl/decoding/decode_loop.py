"""Decoding many sequences at once: schedule, run, choose, advance."""

import math
from collections import abc

from arcscribe.errors import ArcscribeError, InferenceFailed
from arcscribe.types import FinishReason
from vlm_stage.engines.engine_load import BatchCounts, EngineLoad
from vlm_stage.engines.paddleocr_vl.decoding.batch_spans import BatchSpans
from vlm_stage.engines.paddleocr_vl.decoding.generation import Generation
from vlm_stage.engines.paddleocr_vl.decoding.measure_costs import measure_costs
from vlm_stage.engines.paddleocr_vl.decoding.preemption_log import PreemptionLog
from vlm_stage.engines.paddleocr_vl.decoding.sampler import SampledRows, Sampler
from vlm_stage.engines.paddleocr_vl.decoding.step_inputs import StepInputs
from vlm_stage.engines.paddleocr_vl.drafts.costs import DraftCosts
from vlm_stage.engines.paddleocr_vl.failures import fail
from vlm_stage.engines.paddleocr_vl.model_config import TextConfig
from vlm_stage.engines.paddleocr_vl.networks.paged_decoder import DecoderOutputs, PagedDecoder
from vlm_stage.engines.paddleocr_vl.scheduling.scheduler import Scheduler
from vlm_stage.engines.paddleocr_vl.scheduling.step import Accepted, Chunk, Step

Ended = tuple[Generation, FinishReason]

LARGEST_COUNTED = 256
"""Crops of a batch; larger ones are counted as that large."""


class DecodeLoop:
    """The crops whose text is being generated, or soon will be. For one thread."""

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
        self._generations: dict[int, Generation] = {}
        self._preemption_log = PreemptionLog(scheduler)
        self._batches = BatchCounts(LARGEST_COUNTED)
        self._spans = BatchSpans()

    @property
    def is_idle(self) -> bool:
        """Whether it has no crop."""
        return not self._generations

    @property
    def open(self) -> int:
        """How many crops it has."""
        return len(self._generations)

    def load(self, device: str) -> EngineLoad:
        """What it has to do and has done; the one thing here that any thread may ask."""
        scheduler = self._scheduler
        used = scheduler.used_blocks
        return EngineLoad(
            device,
            scheduler.waiting,
            scheduler.running,
            self._batches.by_size,
            used + scheduler.free_blocks,
            used,
            scheduler.preemptions,
        )

    def measure_costs(self, longest: int) -> DraftCosts:
        """What steps with drafts cost here; nothing may be running."""
        assert self.is_idle, "its steps would write over the cache"
        return measure_costs(self._decoder, self._config, longest)

    def add(self, generation: Generation) -> None:
        """Takes a crop whose prompt is known; one that can never fit is answered with a failure."""
        try:
            self._scheduler.add(generation.sequence)
        except ArcscribeError as error:
            fail(generation.request, error)
        else:
            self._generations[generation.sequence.id] = generation

    def cancel(self, sequence_id: int) -> None:
        """Forgets a crop, if it is here."""
        if sequence_id in self._generations:
            self._take_out(sequence_id)
            self._scheduler.cancel(sequence_id)

    def step(self) -> list[Ended]:
        """One inference; gives the crops that have ended. A failure of the device costs the crops of the
        step."""
        step = self._scheduler.schedule()
        self._preemption_log.warn_if_due()
        if step is None:
            return []
        self._batches.add(len(step.chunks))
        self._spans.step(step, self._generations)
        try:
            outputs = self._decoder.run(self._inputs.of(step, self._generations))
        except Exception as error:  # OpenVINO's are RuntimeErrors, but whatever it is must end the step
            self._scheduler.abandon(step)
            self._fail([chunk.sequence.id for chunk in step.chunks], error)
            return []
        return self._advance(step, outputs)

    def _advance(self, step: Step, outputs: DecoderOutputs) -> list[Ended]:
        is_drawn = [not self._generations[chunk.sequence.id].sampling.takes_largest for chunk in step.sampled]
        results = [
            self._taken(chunk, own)
            for chunk, own in zip(step.sampled, _apart(step.sampled, is_drawn, outputs), strict=True)
        ]
        ended = self._scheduler.advance(step, results)
        return [(self._take_out(finished.sequence.id), finished.reason) for finished in ended]

    def _taken(self, chunk: Chunk, own: DecoderOutputs) -> Accepted:
        """What a crop makes of its outputs; what fails there, fails for that crop only."""
        generation = self._generations[chunk.sequence.id]
        try:
            return generation.take(chunk.draft, *self._chosen(generation.rows(chunk), own))
        except Exception as error:
            self._fail([chunk.sequence.id], error)
            return Accepted(())  # of which the scheduler takes no notice

    def _chosen(self, rows: SampledRows, own: DecoderOutputs) -> tuple[list[int], list[float]]:
        """The token of each row, the likeliest or one that is drawn, and its probability."""
        found = own if rows.options.takes_largest else self._sampler.choose(own.logits, [rows])
        probabilities = found.probabilities.tolist()
        if not all(map(math.isfinite, probabilities)):  # such as by an overflow of float16
            raise InferenceFailed("the model's outputs are no numbers")
        return found.tokens.tolist(), probabilities

    def _fail(self, sequence_ids: abc.Iterable[int], error: Exception) -> None:
        for sequence_id in sequence_ids:
            self._scheduler.cancel(sequence_id)
            fail(self._take_out(sequence_id).request, error)

    def _take_out(self, sequence_id: int) -> Generation:
        generation = self._generations.pop(sequence_id)
        if not self._generations:
            self._spans.end()
        return generation


def _apart(
    chunks: abc.Sequence[Chunk], is_drawn: abc.Sequence[bool], outputs: DecoderOutputs
) -> abc.Iterator[DecoderOutputs]:
    """Each chunk's own rows of the outputs; of logits there are only those of chunks that are drawn from."""
    row = logits_row = 0
    for chunk, drawn in zip(chunks, is_drawn, strict=True):
        end, logits_end = row + chunk.logits_rows, logits_row + drawn * chunk.logits_rows
        yield DecoderOutputs(
            outputs.tokens[row:end], outputs.probabilities[row:end], outputs.logits[logits_row:logits_end]
        )
        row, logits_row = end, logits_end
