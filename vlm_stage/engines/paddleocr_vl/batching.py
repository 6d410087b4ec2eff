"""Continuous batching: the crops of all callers through the vision encoder and, step by step, the decoder."""

import numpy as np

from arcscribe.types import FinishReason, RegionText, StageModel
from vlm_stage.engines.paddleocr_vl.draft_costs import DraftCosts
from vlm_stage.engines.paddleocr_vl.embedder import Embedder
from vlm_stage.engines.paddleocr_vl.encoding import CropEncoder, EncodedCrop
from vlm_stage.engines.paddleocr_vl.failures import failing_alone
from vlm_stage.engines.paddleocr_vl.prompts import Task, composed_kind
from vlm_stage.engines.paddleocr_vl.stepping import Writer
from vlm_stage.engines.paddleocr_vl.ticket import Ticket
from vlm_stage.engines.paddleocr_vl.writing import ModelTokens, Writing
from vlm_stage.postprocess.generated import Composed, compose_generated, compose_spotted


class BatchReader:
    """Reads crops. For one thread: it adds, cancels and steps, and tickets are answered within these.

    `most_open` is how many crops the decoder is given at most, those that wait there included; `draft_tokens`
    how many tokens of drafts one step may verify.
    """

    def __init__(
        self,
        model: StageModel,
        tokens: ModelTokens,
        encoder: CropEncoder,
        embedder: Embedder,
        writer: Writer,
        *,
        most_open: int,
        max_new_tokens: int,
        draft_tokens: int,
    ) -> None:
        self._model, self._tokens = model, tokens
        self._encoder, self._embedder, self._writer = encoder, embedder, writer
        self._most_open, self._max_new_tokens = most_open, max_new_tokens
        self._draft_tokens, self._costs = draft_tokens, DraftCosts()

    @property
    def can_step(self) -> bool:
        """Whether `step` has something to do; if not, crops may still be on their way to be ready for it."""
        return self._encoder.can_advance or not self._writer.is_idle

    def add(self, ticket: Ticket) -> None:
        """Takes a crop."""
        self._encoder.add(ticket)

    def warm_up(self) -> None:
        """Has the device compile what it compiles at first use, and measures what drafts cost on it."""
        self._encoder.warm_up()
        if self._draft_tokens:
            self._costs = self._writer.measure_costs(self._draft_tokens)

    def close(self) -> None:
        self._encoder.close()

    def cancel(self, ticket: Ticket) -> None:
        """Forgets a crop; its KV blocks are free at the next step."""
        self._encoder.cancel(ticket)
        self._writer.cancel(ticket.id)

    def step(self) -> None:
        """Takes what is encoded, begins to encode what there is room for, and runs the decoder once."""
        room = self._most_open - self._writer.open
        for encoded in self._encoder.advance(room, may_wait=self._writer.is_idle):
            with failing_alone(encoded.ticket):
                self._writer.add(self._writing(encoded))
        for writing, reason in self._writer.step():
            with failing_alone(writing.ticket):
                self._answer(writing, reason)

    def _writing(self, encoded: EncodedCrop) -> Writing:
        prompt = encoded.prepared.prompt
        embeds = np.array(self._embedder.embed(prompt.ids))
        embeds[prompt.image_start : prompt.image_start + prompt.image_tokens] = encoded.image_tokens
        return Writing(
            encoded.ticket, encoded.prepared, embeds, self._tokens, self._costs, self._max_new_tokens
        )

    def _answer(self, writing: Writing, reason: FinishReason) -> None:
        ticket, sequence = writing.ticket, writing.sequence
        composed = _composed(ticket, writing.text, writing.confidence)
        content = composed.content
        ticket.deliver(
            RegionText(
                text=content.text,
                format=content.format,
                finish_reason=FinishReason.REPETITION if composed.was_cut else reason,
                engine=self._model.engine,
                model=self._model.name,
                milliseconds=ticket.milliseconds,
                confidence=content.confidence,
                prompt_tokens=sequence.prompt_length,
                generated_tokens=len(sequence.output),
                draft_tokens=writing.draft_tokens,
                spotted=composed.spotted,
            )
        )


def _composed(ticket: Ticket, raw: str, confidence: float | None) -> Composed:
    kind = composed_kind(ticket.prompt, ticket.crop.kind)
    if ticket.prompt == Task.SPOTTING:
        height, width = ticket.crop.pixels.shape[:2]
        return compose_spotted(kind, raw, confidence, width, height)
    return compose_generated(kind, raw, confidence)
