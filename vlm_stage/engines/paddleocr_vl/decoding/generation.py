"""One crop while its text is generated: the tokens, where they end, and what the caller is told."""

import math
import time
from collections import abc
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import FinishReason, PartialText
from vlm_stage.engines.paddleocr_vl.crop_request import CropRequest
from vlm_stage.engines.paddleocr_vl.decoding.loop_detector import LoopDetector
from vlm_stage.engines.paddleocr_vl.decoding.sampler import SampledRows, SamplingOptions, verify_draft
from vlm_stage.engines.paddleocr_vl.drafts.costs import DraftCosts
from vlm_stage.engines.paddleocr_vl.drafts.drafter import Drafter
from vlm_stage.engines.paddleocr_vl.inputs.crop_preparer import PreparedCrop
from vlm_stage.engines.paddleocr_vl.inputs.prompts import Task
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextStream, TextTokenizer
from vlm_stage.engines.paddleocr_vl.scheduling.sequence import Sequence, no_draft
from vlm_stage.engines.paddleocr_vl.scheduling.step import Accepted, Chunk

PARTIAL_SECONDS = 0.1
"""Between two partial texts of a crop: more often than a person can read, and seldom enough to cost nothing.

It is kept to here, where it saves the making of the text; what passes them on holds none back but for a slow
caller.
"""


@dataclass(frozen=True, slots=True)
class ModelTokens:
    """A model's tokenizer, the token that ends a text, and the one that ends a table's row, if it has one."""

    tokenizer: TextTokenizer
    end: int
    row_end: int | None


class Generation:
    """A crop whose prompt is known, image and all: `embeds` is float32 (T, hidden)."""

    def __init__(
        self,
        request: CropRequest,
        prepared: PreparedCrop,
        embeds: NDArray[np.float32],
        model: ModelTokens,
        costs: DraftCosts,
        max_new_tokens: int,
    ) -> None:
        options = request.crop.options
        self.request, self.embeds = request, embeds
        self.positions, self.delta = prepared.positions, prepared.delta
        self.sampling = SamplingOptions(
            options.temperature, options.top_p or 1.0, options.repetition_penalty or 1.0, options.seed
        )
        self._drafter = Drafter(prepared.draft, costs) if prepared.draft else None
        self.sequence = Sequence(
            request.id,
            request.stream,
            len(prepared.prompt.ids),
            options.max_new_tokens or max_new_tokens,
            self._propose if self._drafter else no_draft,
        )
        self._prompt_ids = prepared.prompt.ids
        self._model = model
        self._skips_special = request.prompt != Task.SPOTTING
        self._partial_text = TextStream(model.tokenizer, self._skips_special)
        self._loops = LoopDetector(model.row_end if request.prompt == Task.TABLE else None)
        self._log_probability = 0.0
        self._kept: int | None = None
        self._undelivered: list[int] = []
        self._delivered_at = -math.inf

    def _propose(self, output: abc.Sequence[int], limit: int, beside: int) -> abc.Sequence[int]:
        """None in the step that ends the prompt: it would be run together with it (`step_inputs`)."""
        return self._drafter.propose(output, limit, beside) if self._drafter and output else ()

    def rows(self, chunk: Chunk) -> SampledRows:
        """What a sampler must know of the rows of a chunk."""
        output = self.sequence.output
        history = (*self._prompt_ids.tolist(), *output) if self.sampling.penalises else ()
        return SampledRows(self.sampling, len(output), history, chunk.draft)

    def take(
        self, draft: abc.Sequence[int], chosen: abc.Sequence[int], probabilities: abc.Sequence[float]
    ) -> Accepted:
        """What becomes of the tokens chosen in a step: those that are written, and whether they are the
        last."""
        tokens = list(verify_draft(draft, chosen))
        foretold, finish = len(tokens) - 1, None
        for count, (token, probability) in enumerate(zip(tokens, probabilities, strict=False)):
            if token == self._model.end:
                tokens, finish = tokens[:count], FinishReason.STOP
                break
            self._log_probability += math.log(max(probability, 1e-9))
            if loop := self._loops.feed(token):
                self._kept = loop.keep
                tokens, finish = tokens[: count + 1], FinishReason.REPETITION
                break
        if self._drafter and draft:
            self._drafter.observe(min(foretold, len(tokens)))
        self._deliver_partial(tokens)
        return Accepted(tokens, finish)

    def _deliver_partial(self, tokens: abc.Sequence[int]) -> None:
        """Delivers the text so far, these tokens being new, if the caller wants it and had none just now."""
        if not self.request.crop.options.partial_text:
            return
        self._undelivered += tokens
        now = time.monotonic()
        if now - self._delivered_at >= PARTIAL_SECONDS:
            self._delivered_at = now
            self._partial_text.push(self._undelivered)
            self._undelivered.clear()
            self.request.deliver(PartialText(self._partial_text.text))

    @property
    def text(self) -> str:
        """What was written; of a loop, one unit."""
        return self._model.tokenizer.decode(self.sequence.output[: self._kept], self._skips_special)

    @property
    def draft_tokens(self) -> int:
        """How many tokens of the output the draft foretold, in steps that verified it."""
        return self._drafter.accepted_tokens if self._drafter else 0

    @property
    def confidence(self) -> float | None:
        """The geometric mean of the tokens' probabilities; None without tokens."""
        count = len(self.sequence.output)
        return math.exp(self._log_probability / count) if count else None
