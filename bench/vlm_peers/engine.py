"""Our side: the engine's own parts, driven step by step."""

import itertools
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from arcscribe.types import Crop
from bench.vlm_peers.building import load_decoder, make_reader, make_writer
from bench.vlm_peers.model import BenchModel
from vlm_stage.engines.paddleocr_vl.preparing import PreparedCrop
from vlm_stage.engines.paddleocr_vl.prompts import Task
from vlm_stage.engines.paddleocr_vl.stepping import Writer
from vlm_stage.engines.paddleocr_vl.ticket import Ticket
from vlm_stage.engines.paddleocr_vl.writing import Writing


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
    """A writer whose writings stay in sight."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.writings: list[Writing] = []

    def add(self, writing: Writing) -> None:
        self.writings.append(writing)
        self._writer.add(writing)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)


class Engine:
    """Reads crops as far as it is told to, in the caller's thread."""

    def __init__(self, model: BenchModel, threads: int) -> None:
        self._model = model
        self._network = load_decoder(model, threads)
        self._drafts: dict[int, tuple[int, ...]] = {}
        self._ids, self._tickets = itertools.count(), list[Ticket]()
        self._writer = _Watched(make_writer(model, self._network))
        self._reader = make_reader(model, self._writer, self._prepare)
        self._reader.warm_up()

    def begin(self, crop: Crop, draft: tuple[int, ...] = ()) -> None:
        """Takes a crop; with a draft in tokens, since text made of random ones does not give them back."""
        ticket = Ticket(next(self._ids), None, crop, Task.OCR, lambda _: None)
        self._drafts[ticket.id] = draft
        self._tickets.append(ticket)
        self._reader.add(ticket)

    def prefill(self) -> None:
        """Steps until each crop has a token."""
        while len(self._writer.writings) < len(self._tickets) or not all(self.outputs):
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
        for ticket in self._tickets:
            self._reader.cancel(ticket)
        self._tickets.clear()
        self._writer.writings.clear()

    @property
    def prompt_lengths(self) -> list[int]:
        """The tokens of each prompt, in the order of `outputs`."""
        return [writing.sequence.prompt_length for writing in self._writer.writings]

    @property
    def outputs(self) -> list[list[int]]:
        """The tokens written of each crop, in the order in which they were begun."""
        return [writing.sequence.output for writing in self._writer.writings]

    def _written(self) -> int:
        return sum(map(len, self.outputs))

    def _prepare(self, ticket: Ticket) -> PreparedCrop:
        return replace(
            self._model.preparer.prepare(ticket.crop, ticket.prompt), draft=self._drafts[ticket.id]
        )
