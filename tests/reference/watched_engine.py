"""The engine itself, with its tokens and steps seen from outside."""

import queue
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from arcscribe.types import Crop, FinishReason, PartialText, RegionText
from vlm_stage.engines.engine import Cancel, Engine, EngineOutput
from vlm_stage.engines.paddleocr_vl.batch_reader import BatchReader
from vlm_stage.engines.paddleocr_vl.decoding.generation import Generation
from vlm_stage.engines.paddleocr_vl.load import load_paddleocr_vl
from vlm_stage.engines.paddleocr_vl.networks.paged_decoder import DecoderInputs, DecoderOutputs, PagedDecoder
from vlm_stage.engines.paddleocr_vl.scheduling.running_sequences import RunningSequences
from vlm_stage.engines.paddleocr_vl.scheduling.sequence import Sequence
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings

SECONDS = 3600.0
"""For a full-size model on a machine that is busy."""


@dataclass(eq=False)
class WatchedEngine:
    """What came of crops, by their ids: `texts` whole, and `tokens` as the decoder's steps gave them.

    `step_sizes` tells how many sequences each step had, drafted tokens counted as such, and `preemptions` how
    many times one lost its KV blocks.
    """

    engine: Engine
    tokens: dict[int, list[int]] = field(default_factory=dict)
    texts: dict[int, RegionText] = field(default_factory=dict)
    step_sizes: list[int] = field(default_factory=list)
    preemptions: int = 0
    steps: int = 0
    _script: dict[int, list[Callable[[], object]]] = field(default_factory=lambda: defaultdict(list))
    _told: "queue.SimpleQueue[tuple[int, EngineOutput]]" = field(default_factory=queue.SimpleQueue)

    def before_step(self, number: int, action: Callable[[], object]) -> None:
        """Has something done, in the engine's thread, before its step of that number."""
        self._script[number].append(action)

    def begin_step(self) -> None:
        for action in self._script.pop(self.steps, ()):
            action()
        self.steps += 1

    def submit(self, crop: Crop, stream: Hashable = None) -> Cancel:
        return self.engine.submit(crop, lambda output: self._told.put((crop.id, output)), stream=stream)

    def wait(self, count: int) -> None:
        """Until so many more crops are answered, each with a text."""
        while count:
            number, output = self._told.get(timeout=SECONDS)
            if isinstance(output, PartialText):
                continue
            assert isinstance(output, RegionText), output
            self.texts[number] = output
            count -= 1

    def read(self, crop: Crop) -> list[int]:
        """A crop's tokens, with nothing else in the engine."""
        self.submit(crop)
        self.wait(1)
        return self.tokens[crop.id]


@contextmanager
def watched_engine(settings: PaddleOcrVlSettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[WatchedEngine]:
    """The engine with the model of those settings, watched while it works and otherwise left alone."""
    answer, step = BatchReader._answer, BatchReader.step
    run, grow = PagedDecoder.run, RunningSequences.grow

    def _answer(reader: BatchReader, generation: Generation, reason: FinishReason) -> None:
        watched.tokens[generation.request.crop.id] = list(generation.sequence.output)
        answer(reader, generation, reason)

    def _step(reader: BatchReader) -> None:
        watched.begin_step()
        step(reader)

    def _run(decoder: PagedDecoder, inputs: DecoderInputs) -> DecoderOutputs:
        watched.step_sizes.append(len(inputs.batch.past_lens))
        return run(decoder, inputs)

    def _grow(running: RunningSequences) -> list[Sequence]:
        preempted = grow(running)
        watched.preemptions += len(preempted)
        return preempted

    watched = WatchedEngine(load_paddleocr_vl(settings, Path()))
    with monkeypatch.context() as patch:
        patch.setattr(BatchReader, "_answer", _answer)
        patch.setattr(BatchReader, "step", _step)
        patch.setattr(PagedDecoder, "run", _run)
        patch.setattr(RunningSequences, "grow", _grow)
        try:
            yield watched
        finally:
            watched.engine.close(60.0)
