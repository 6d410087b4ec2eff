"""Our side: the engine's own parts, driven step by step."""

import itertools
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from arcscribe.types import Crop
from bench.vlm_peers.building import load_decoder, make_decode_loop, make_reader
from bench.vlm_peers.model import BenchModel
from vlm_stage.engines.paddleocr_vl.crop_request import CropRequest
from vlm_stage.engines.paddleocr_vl.decoding.decode_loop import DecodeLoop
from vlm_stage.engines.paddleocr_vl.decoding.generation import Generation
from vlm_stage.engines.paddleocr_vl.inputs.crop_preparer import PreparedCrop
from vlm_stage.engines.paddleocr_vl.inputs.prompts import Task


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some steps: the tokens they wrote, how long they took, and how much of that was inference."""

    steps: int
    tokens: int
    seconds: float
    inference_seconds: float

    @property
    def speed(self) -> float:
        """Tokens a second."""
        return self.tokens / self.seconds


class _Watched:
    """A decode loop whose generations stay in sight."""

    def __init__(self, decode_loop: DecodeLoop) -> None:
        self._decode_loop = decode_loop
        self.generations: list[Generation] = []

    def add(self, generation: Generation) -> None:
        self.generations.append(generation)
        self._decode_loop.add(generation)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._decode_loop, name)


class Engine:
    """Reads crops as far as it is told to, in the caller's thread."""

    def __init__(self, model: BenchModel, threads: int) -> None:
        self._model = model
        self._network = load_decoder(model, threads)
        self._drafts: dict[int, tuple[int, ...]] = {}
        self._ids, self._requests = itertools.count(), list[CropRequest]()
        self._decode_loop = _Watched(make_decode_loop(model, self._network))
        self._reader = make_reader(model, self._decode_loop, self._prepare)
        self._reader.warm_up()

    def begin(self, crop: Crop, draft: tuple[int, ...] = ()) -> None:
        """Takes a crop; with a draft in tokens, since text made of random ones does not give them back."""
        request = CropRequest(next(self._ids), None, crop, Task.OCR, lambda _: None)
        self._drafts[request.id] = draft
        self._requests.append(request)
        self._reader.add(request)

    def prefill(self) -> None:
        """Steps until each crop has a token."""
        while len(self._decode_loop.generations) < len(self._requests) or not all(self.outputs):
            self._reader.step()

    def decode(self, steps: int) -> Stretch:
        """So many steps."""
        return self._measure(range(steps))

    def decode_until(self, tokens: int) -> Stretch:
        """Steps until each crop has so many tokens."""
        return self._measure(iter(lambda: min(map(len, self.outputs)) >= tokens, True))

    def _measure(self, steps: Iterable[object]) -> Stretch:
        before, inference = self._written(), self._network.seconds
        count, started = 0, time.perf_counter()
        for _ in steps:
            self._reader.step()
            count += 1
        seconds = time.perf_counter() - started
        return Stretch(count, self._written() - before, seconds, self._network.seconds - inference)

    def forget(self) -> None:
        """Drops all crops."""
        for request in self._requests:
            self._reader.cancel(request)
        self._requests.clear()
        self._decode_loop.generations.clear()

    @property
    def prompt_lengths(self) -> list[int]:
        """The tokens of each prompt, in the order of `outputs`."""
        return [generation.sequence.prompt_length for generation in self._decode_loop.generations]

    @property
    def outputs(self) -> list[list[int]]:
        """The tokens written of each crop, in the order in which they were begun."""
        return [generation.sequence.output for generation in self._decode_loop.generations]

    def _written(self) -> int:
        return sum(map(len, self.outputs))

    def _prepare(self, request: CropRequest) -> PreparedCrop:
        return replace(
            self._model.preparer.prepare(request.crop, request.prompt), draft=self._drafts[request.id]
        )
