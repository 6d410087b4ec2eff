"""A scheduler with a fake decoder, and the promises that it must keep, checked whenever something happens."""

from collections import Counter

import pytest

from arcscribe.errors import TooLarge
from tests.vlm_stage.engines.paddleocr_vl.fairness import FairnessWatch
from tests.vlm_stage.engines.paddleocr_vl.fake_decoder import Crop, FakeStepDecoder, Request
from vlm_stage.engines.paddleocr_vl.scheduling.scheduler import Scheduler
from vlm_stage.engines.paddleocr_vl.scheduling.settings import SchedulerSettings
from vlm_stage.engines.paddleocr_vl.scheduling.step import Accepted, Step


class WatchedScheduler:
    """Knows no more of a scheduler than its driver does. `seen` counts what was met with."""

    def __init__(self, settings: SchedulerSettings, seen: Counter[str]) -> None:
        self.scheduler = Scheduler(settings)
        self.crops: dict[int, Crop] = {}
        self.open: dict[int, Crop] = {}
        self._seen = seen
        self._settings = settings
        self._decoder = FakeStepDecoder(settings)
        self._step: Step | None = None
        self._fairness = FairnessWatch()

    def add(self, request: Request) -> int | None:
        """The number of the crop; None if it was refused, as it must be if its prompt can never fit."""
        number = len(self.crops)
        crop = Crop(number, request, self._settings.capacity)
        if request.prompt_length > self._settings.capacity:
            with pytest.raises(TooLarge) as caught:
                self.scheduler.add(crop.sequence)
            assert caught.value.details["limit"] == str(self._settings.capacity)
            self._seen["refused"] += 1
            return None
        self.scheduler.add(crop.sequence)
        self.crops[number] = self.open[number] = crop
        self._fairness.wait(number, request.stream)
        self._check_blocks()
        return number

    def cancel(self, number: int) -> None:
        """Of an open one, or of one that has ended before."""
        sequence = self.crops[number].sequence
        assert self.scheduler.cancel(number) == (number in self.open)
        if self.open.pop(number, None) is not None:
            assert sequence.output == self.crops[number].text[: len(sequence.output)]
            self._fairness.leave(number, sequence.stream)
            in_step = any(chunk.sequence is sequence for chunk in self._step.chunks) if self._step else False
            assert in_step or not sequence.blocks
            self._seen["cancelled in its step" if in_step else "cancelled"] += 1
        self._check_blocks()

    def start_step(self) -> bool:
        """Whether there was something to do."""
        before = self._holding()
        size = self._settings.block_size
        needed = sum(-(-self.open[number].sequence.total_length // size) for number in before)
        known = {number: crop.known for number, crop in self.open.items()}
        step = self._step = self.scheduler.schedule()
        assert known == {number: crop.known for number, crop in self.open.items()}, "lost what it had written"
        assert (step is not None) == bool(self.open), "all stand still"
        preempted = [number for number in before if not self.open[number].sequence.blocks]
        if preempted:
            self._seen["preempted"] += len(preempted)
            assert needed > self._settings.block_count, "preempted though all had room"
            assert before[0] not in preempted, "preempted the one admitted first"
        if step is not None:
            self._check_sizes(step)
            self._check_order(step, before)
        self._check_blocks()
        return step is not None

    def finish_step(self) -> None:
        """Runs the step and takes what came out."""
        assert self._step is not None
        results = self._decoder.run(self._step, self.crops)
        self._count_drafts(self._step, results)
        for ended in self.scheduler.advance(self._step, results):
            crop = self.open.pop(ended.sequence.id)
            assert (ended.sequence.output, ended.reason) == (crop.text, crop.reason)
            self._seen[f"ended by {ended.reason}"] += 1
        for chunk in self._step.sampled:
            assert chunk.sequence.id not in self.open or chunk.sequence.pending == 1, "ran it for nothing"
        self._check_after_step()

    def abandon_step(self) -> None:
        """Ends the step as if the decoder had failed."""
        assert self._step is not None
        before = {number: (crop.known, crop.sequence.computed) for number, crop in self.open.items()}
        self.scheduler.abandon(self._step)
        assert before == {n: (crop.known, crop.sequence.computed) for n, crop in self.open.items()}
        self._seen["abandoned"] += 1
        self._check_after_step()

    def drain(self) -> None:
        """Runs until nothing is open; then every block must be free."""
        steps = 0
        while self.start_step():
            self.finish_step()
            steps += 1
            assert steps < 5_000, "starved"
        assert not self.open
        assert self.scheduler.free_blocks == self._settings.block_count

    def _holding(self) -> list[int]:
        """Those open that hold blocks, the one admitted first at the front."""
        return [n for n in self._fairness.admitted if n in self.open and self.open[n].sequence.blocks]

    def _check_blocks(self) -> None:
        """No block is lost, and none belongs to two."""
        held = [block for crop in self.crops.values() for block in crop.sequence.blocks]
        assert len(set(held)) == len(held) == self.scheduler.used_blocks
        assert self.scheduler.used_blocks + self.scheduler.free_blocks == self._settings.block_count
        running = sum(bool(crop.sequence.blocks) for crop in self.open.values())
        assert (self.scheduler.running, self.scheduler.waiting) == (running, len(self.open) - running)

    def _check_after_step(self) -> None:
        """None holds more blocks than its tokens known need, or any once it has ended."""
        self._step = None
        size = self._settings.block_size
        for number, crop in self.crops.items():
            length = crop.sequence.total_length if number in self.open else 0
            assert len(crop.sequence.blocks) <= -(-length // size)
        self._check_blocks()

    def _check_sizes(self, step: Step) -> None:
        numbers = {chunk.sequence.id for chunk in step.chunks}
        assert len(numbers) == len(step.chunks) <= self._settings.max_sequences
        drafts = sum(len(chunk.draft) for chunk in step.chunks)
        assert drafts <= self._settings.draft_budget
        assert sum(chunk.length for chunk in step.chunks) - drafts <= self._settings.token_budget
        for chunk in step.chunks:
            assert chunk.start == chunk.sequence.computed < chunk.known_end <= chunk.sequence.total_length
            assert chunk.wants_logits == (chunk.known_end == chunk.sequence.total_length)
            assert chunk.wants_logits or not chunk.draft
            self._seen["prompt in parts"] += not chunk.wants_logits

    def _check_order(self, step: Step, before: list[int]) -> None:
        """All are in the step that must be, and none was admitted out of turn."""
        in_step = [chunk.sequence.id for chunk in step.chunks]
        new = [number for number in in_step if number not in self._fairness.admitted]
        for number in new:
            self._fairness.admit(number, self.crops[number].sequence.stream)
        holding = self._holding()
        assert len(holding) == self.scheduler.running, "holds blocks and does nothing"
        assert holding[0] in in_step, "the one admitted first stands still"
        assert all(n in in_step for n in holding if self.open[n].sequence.pending == 1), "left one out"
        again = [number for number in holding if number not in before and number not in new]
        waiting = [n for n in self._fairness.admitted if n in self.open and n not in holding]
        self._seen["admitted again"] += len(again)
        place = self._fairness.admitted.index
        assert not (waiting and new), "a new one overtook one that was preempted"
        assert all(place(one) < place(other) for one in again for other in waiting)

    def _count_drafts(self, step: Step, results: list[Accepted]) -> None:
        for chunk, result in zip(step.sampled, results, strict=True):
            right = len(result.tokens) - 1
            if chunk.draft:
                kind = "accepted" if right == len(chunk.draft) else "accepted in part" if right else "refused"
                self._seen[f"draft {kind}"] += 1
