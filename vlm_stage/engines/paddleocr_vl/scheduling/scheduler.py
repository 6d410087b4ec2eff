"""Which tokens of which sequences are run next: continuous batching over paged KV blocks.

In the manner of vLLM (Kwon et al. 2023, arXiv 2309.06180), with chunks of prompts in the same step as
decodes (Agrawal et al. 2024, arXiv 2403.02310). Plain and deterministic: no model, no thread, no clock. One
thread calls:

    step = scheduler.schedule()
    ended = scheduler.advance(step, [sample(chunk) for chunk in step.sampled])

Nothing starves. Of the sequences that run, the one admitted first is never preempted and is in every step.
Those that were preempted go before new ones, the one admitted first at the front. New ones come from each
stream in turn.
"""

from collections.abc import Iterable

from arcscribe.errors import TooLarge
from arcscribe.types import FinishReason
from vlm_stage.engines.paddleocr_vl.scheduling.draft_shares import Planned, with_drafts
from vlm_stage.engines.paddleocr_vl.scheduling.kv_blocks import KvBlocks
from vlm_stage.engines.paddleocr_vl.scheduling.running_sequences import RunningSequences
from vlm_stage.engines.paddleocr_vl.scheduling.sequence import Sequence
from vlm_stage.engines.paddleocr_vl.scheduling.settings import SchedulerSettings
from vlm_stage.engines.paddleocr_vl.scheduling.step import Accepted, Chunk, Finished, Step
from vlm_stage.engines.paddleocr_vl.scheduling.waiting_queue import WaitingQueue


class Scheduler:
    """Admits sequences, plans steps, and takes what came out of them."""

    def __init__(self, settings: SchedulerSettings) -> None:
        self._settings = settings
        self._blocks = KvBlocks(settings.block_count, settings.block_size)
        self._open: dict[int, Sequence] = {}
        self._waiting = WaitingQueue()
        self._running = RunningSequences(self._blocks, settings.max_sequences)
        self._step: Step | None = None
        self._preemptions = 0

    @property
    def waiting(self) -> int:
        """How many sequences wait to be admitted, for the first time or again."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """How many sequences are admitted."""
        return len(self._running)

    @property
    def free_blocks(self) -> int:
        return self._blocks.free

    @property
    def used_blocks(self) -> int:
        return self._blocks.used

    @property
    def preemptions(self) -> int:
        """How many times a sequence has lost its blocks, and what was computed of it."""
        return self._preemptions

    def add(self, sequence: Sequence) -> None:
        """Takes a new sequence, whose id no open one has; lowers `max_new_tokens` to what the cache can hold.

        Raises:
            TooLarge: the whole KV cache does not hold the prompt.
        """
        assert sequence.id not in self._open, f"sequence {sequence.id} is open"
        assert min(sequence.prompt_length, sequence.max_new_tokens) > 0
        capacity = self._settings.capacity
        if sequence.prompt_length > capacity:
            raise TooLarge(
                f"crop and prompt are {sequence.prompt_length} tokens, but the KV cache holds {capacity}; "
                "send a smaller crop, or give the cache more memory",
                what="prompt tokens",
                limit=str(capacity),
            )
        # The last token is never run, and needs no place in the cache.
        sequence.max_new_tokens = min(sequence.max_new_tokens, capacity + 1 - sequence.prompt_length)
        self._open[sequence.id] = sequence
        self._waiting.add(sequence)

    def cancel(self, sequence_id: int) -> bool:
        """Ends a sequence. Its blocks are free at once, or after the step that it is in.

        Returns:
            Whether it was open until now; if not, it has ended before.
        """
        sequence = self._open.pop(sequence_id, None)
        if sequence is None:
            return False
        if not sequence.blocks:  # of those that run, each has one at least
            self._waiting.remove(sequence)
            return True
        self._running.remove(sequence)
        if self._step is None or all(chunk.sequence is not sequence for chunk in self._step.chunks):
            self._blocks.release(sequence)
        return True

    def schedule(self) -> Step | None:
        """The next step, which `advance` or `abandon` must end; None when there is nothing to do.

        Decodes go first, then what is left of the prompts of those admitted, then new ones. Draft tokens take
        blocks that are left after all that, so that they are the cause of no preemption.
        """
        assert self._step is None, "the last step has not ended"
        for sequence in self._running.grow():
            self._waiting.put_back(sequence)
            self._preemptions += 1
        planned = self._plan()
        if not planned:
            return None
        self._step = Step(tuple(with_drafts(planned, self._settings.draft_budget, self._blocks)))
        return self._step

    def advance(self, step: Step, results: Iterable[Accepted]) -> list[Finished]:
        """Takes what the model wrote: a result for each of `step.sampled`, also of those cancelled meanwhile.

        What was computed for draft tokens that were not accepted is forgotten, and blocks that held nothing
        else are free again: another sequence may need them before this one does.

        Returns:
            The sequences that have ended; their blocks are free.
        """
        for chunk in self._end(step):
            chunk.sequence.computed = chunk.known_end
        ended = []
        for chunk, result in zip(step.sampled, results, strict=True):
            if self._is_open(chunk.sequence):
                reason = self._accept(chunk, result)
                ended += [Finished(chunk.sequence, reason)] if reason else []
        return ended

    def abandon(self, step: Step) -> None:
        """Ends a step of which nothing came, as when the model failed; its sequences stay as they were."""
        for chunk in self._end(step):
            self._blocks.trim(chunk.sequence)

    def _plan(self) -> list[Planned]:
        """The sequences to be run; a budget of at least a token for each of them lets none wait for ever."""
        planned = [(sequence, 1) for sequence in self._running if sequence.pending == 1]
        prefills = iter([sequence for sequence in self._running if sequence.pending > 1])
        left = self._settings.token_budget - len(planned)
        while left and (sequence := next(prefills, None) or self._admit()):
            length = min(left, _next_length(sequence))
            planned.append((sequence, length))
            left -= length
        return planned

    def _admit(self) -> Sequence | None:
        """The next one, if there is room for it. None overtakes it, so that a large one has its turn."""
        sequence = self._waiting.first()
        if sequence is None or not self._running.has_room_for(sequence):
            return None
        self._waiting.take_first()
        self._running.enter(sequence)
        return sequence

    def _accept(self, chunk: Chunk, result: Accepted) -> FinishReason | None:
        """Adds to the output; the reason if the sequence has ended."""
        sequence = chunk.sequence
        of_draft = len(result.tokens) - 1
        sequence.output += result.tokens
        reason = result.finish
        if len(sequence.output) >= sequence.max_new_tokens:
            reason = reason or FinishReason.LENGTH
        if reason:
            del self._open[sequence.id]
            self._running.remove(sequence)
            self._blocks.release(sequence)
            return reason
        assert tuple(result.tokens[:-1]) == chunk.draft[:of_draft], "tokens that are not in the cache"
        sequence.computed += of_draft
        self._blocks.trim(sequence)
        return None

    def _end(self, step: Step) -> list[Chunk]:
        """Frees the blocks of those cancelled while the step ran; the chunks of the others."""
        assert step is self._step, "another step runs"
        self._step = None
        for chunk in step.chunks:
            if not self._is_open(chunk.sequence):
                self._blocks.release(chunk.sequence)
        return [chunk for chunk in step.chunks if self._is_open(chunk.sequence)]

    def _is_open(self, sequence: Sequence) -> bool:
        return self._open.get(sequence.id) is sequence


def _next_length(sequence: Sequence) -> int:
    """How many tokens may be run at once: a prompt apart from what follows it (`decoding.step_inputs`)."""
    return max(sequence.prompt_length - sequence.computed, 0) or sequence.pending
