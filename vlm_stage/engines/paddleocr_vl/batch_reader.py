"""Continuous batching: the crops of all callers through the vision encoder and, step by step, the decoder."""

from arcscribe.types import FinishReason, RegionText, StageModel
from vlm_stage.engines.engine_load import EngineLoad
from vlm_stage.engines.paddleocr_vl.crop_encoder import CropEncoder, EncodedCrop
from vlm_stage.engines.paddleocr_vl.crop_request import CropRequest
from vlm_stage.engines.paddleocr_vl.decoding.decode_loop import DecodeLoop
from vlm_stage.engines.paddleocr_vl.decoding.generation import Generation, ModelTokens
from vlm_stage.engines.paddleocr_vl.drafts.costs import DraftCosts
from vlm_stage.engines.paddleocr_vl.failures import failing_alone
from vlm_stage.engines.paddleocr_vl.inputs.prompts import Task, composed_kind
from vlm_stage.engines.paddleocr_vl.networks.embedder import Embedder, prompt_embeds
from vlm_stage.postprocess.generated import Composed, compose_generated, compose_spotted


class BatchReader:
    """Reads crops. For one thread: it adds, cancels and steps, and requests are answered within these.

    `most_open` is how many crops the decoder is given at most, those that wait there included; `draft_tokens`
    how many tokens of drafts one step may verify.
    """

    def __init__(
        self,
        model: StageModel,
        tokens: ModelTokens,
        encoder: CropEncoder,
        embedder: Embedder,
        decode_loop: DecodeLoop,
        *,
        most_open: int,
        max_new_tokens: int,
        draft_tokens: int,
    ) -> None:
        self._model, self._tokens = model, tokens
        self._encoder, self._embedder, self._decode_loop = encoder, embedder, decode_loop
        self._most_open, self._max_new_tokens = most_open, max_new_tokens
        self._draft_tokens, self._costs = draft_tokens, DraftCosts()

    @property
    def can_step(self) -> bool:
        """Whether `step` has something to do; if not, crops may still be on their way to be ready for it."""
        return self._encoder.can_advance or not self._decode_loop.is_idle

    def load(self) -> EngineLoad:
        """What the decoder has to do; from any thread."""
        return self._decode_loop.load(self._model.device)

    def add(self, request: CropRequest) -> None:
        """Takes a crop."""
        self._encoder.add(request)

    def warm_up(self) -> None:
        """Has the device compile what it compiles at first use, and measures what drafts cost on it."""
        self._encoder.warm_up()
        if self._draft_tokens:
            self._costs = self._decode_loop.measure_costs(self._draft_tokens)

    def close(self) -> None:
        """Prepares no more crops."""
        self._encoder.close()

    def cancel(self, request: CropRequest) -> None:
        """Forgets a crop; its KV blocks are free at the next step."""
        self._encoder.cancel(request)
        self._decode_loop.cancel(request.id)

    def step(self) -> None:
        """Takes what is encoded, begins to encode what there is room for, and runs the decoder once."""
        room = self._most_open - self._decode_loop.open
        for encoded in self._encoder.advance(room, may_wait=self._decode_loop.is_idle):
            with failing_alone(encoded.request):
                self._decode_loop.add(self._generation(encoded))
        for generation, reason in self._decode_loop.step():
            with failing_alone(generation.request):
                self._answer(generation, reason)

    def _generation(self, encoded: EncodedCrop) -> Generation:
        embeds = prompt_embeds(self._embedder, encoded.prepared.prompt, encoded.image_tokens)
        return Generation(
            encoded.request, encoded.prepared, embeds, self._tokens, self._costs, self._max_new_tokens
        )

    def _answer(self, generation: Generation, reason: FinishReason) -> None:
        request, sequence = generation.request, generation.sequence
        composed = _composed(request, generation.text, generation.confidence)
        content = composed.content
        request.deliver(
            RegionText(
                text=content.text,
                format=content.format,
                finish_reason=FinishReason.REPETITION if composed.was_cut else reason,
                engine=self._model.engine,
                model=self._model.name,
                milliseconds=request.milliseconds,
                confidence=content.confidence,
                prompt_tokens=sequence.prompt_length,
                generated_tokens=len(sequence.output),
                draft_tokens=generation.draft_tokens,
                spotted=composed.spotted,
            )
        )


def _composed(request: CropRequest, raw: str, confidence: float | None) -> Composed:
    kind = composed_kind(request.prompt, request.crop.kind)
    if request.prompt == Task.SPOTTING:
        height, width = request.crop.pixels.shape[:2]
        return compose_spotted(kind, raw, confidence, width, height)
    return compose_generated(kind, raw, confidence)
