"""What traces tell of decoding: a span for as long as the same crops are decoded together."""

from collections.abc import Mapping

from arcscribe.rpc.traces import OFF, batch_span, current_span
from vlm_stage.engines.paddleocr_vl.decoding.generation import Generation
from vlm_stage.engines.paddleocr_vl.scheduling.step import Step


class BatchSpans:
    """One span at a time: steps are too many and too short for one each. For one thread.

    Whether there are traces is looked up when it is made; without, a step costs nothing.
    """

    def __init__(self) -> None:
        self._is_on = current_span().is_on
        self._span = OFF
        self._crops: tuple[int, ...] = ()
        self._steps = self._tokens = 0

    def step(self, step: Step, generations: Mapping[int, Generation]) -> None:
        """Counts a step, and begins another span where its crops are others than those of the last."""
        if not self._is_on:
            return
        crops = tuple(chunk.sequence.id for chunk in step.chunks)
        if crops != self._crops:
            self.end()
            self._crops, self._steps, self._tokens = crops, 0, 0
            spans = [generations[crop].request.span for crop in crops]
            self._span = batch_span("decode", spans, crops=len(crops))
        self._steps += 1
        self._tokens += sum(chunk.length for chunk in step.chunks)

    def end(self) -> None:
        """Ends the span that is open, if one is."""
        self._span.annotate(steps=self._steps, tokens=self._tokens)
        self._span.end()
        self._span, self._crops = OFF, ()
