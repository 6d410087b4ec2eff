"""A decoder whose text depends on every token before it, with a KV cache that shows wrong blocks."""

from collections.abc import Mapping
from dataclasses import dataclass

from arcscribe.types import FinishReason
from vlm_stage.engines.paddleocr_vl.networks.flat_batch import to_flat_batch
from vlm_stage.engines.paddleocr_vl.scheduling.sequence import Sequence, Tokens
from vlm_stage.engines.paddleocr_vl.scheduling.settings import SchedulerSettings
from vlm_stage.engines.paddleocr_vl.scheduling.step import Accepted, Step

VOCABULARY = 16
FINISHES = {0: FinishReason.STOP, 1: FinishReason.REPETITION}
"""Tokens at which a driver would end a sequence."""

_FIRST_STATE = 1


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a crop; of four draft tokens `accuracy` are right."""

    stream: int
    prompt_length: int
    max_new_tokens: int
    ends_itself: bool = False
    accuracy: int = 0


class Crop:
    """A request in work: its sequence, what its text must be, and what must be cached at each position."""

    def __init__(self, number: int, request: Request, capacity: int) -> None:
        self.ends_itself = request.ends_itself
        self.prompt = [(number * 7 + index * 3) % 50 for index in range(request.prompt_length)]
        self.states: list[int] = []
        self.text: list[int] = []
        self.reason = FinishReason.LENGTH
        self._read_alone(min(request.max_new_tokens, capacity + 1 - request.prompt_length))
        self._draft = [
            token + ((number * 5 + index * 3) % 4 >= request.accuracy)
            for index, token in enumerate([*self.text, 2, 3, 4])
        ]
        self.sequence = Sequence(
            number, request.stream, request.prompt_length, request.max_new_tokens, self._propose
        )

    @property
    def known(self) -> list[int]:
        """The tokens known by now."""
        return [*self.prompt, *self.sequence.output]

    def _read_alone(self, most: int) -> None:
        """Writes the text without a scheduler, other sequences, or a draft."""
        state = _FIRST_STATE
        for token in self.prompt:
            state = _state_after(state, token)
            self.states.append(state)
        while len(self.text) < most and self.reason is FinishReason.LENGTH:
            token = _token_after(state)
            self.text.append(token)
            state = _state_after(state, token)
            self.states.append(state)
            if self.ends_itself:
                self.reason = FINISHES.get(token, FinishReason.LENGTH)

    def _propose(self, output: Tokens, limit: int, beside: int) -> Tokens:
        assert limit > 0
        assert beside >= 0
        return self._draft[len(output) : len(output) + limit]


class FakeStepDecoder:
    """Runs steps on blocks of states, one for each position, and notices states that must not be there."""

    def __init__(self, settings: SchedulerSettings) -> None:
        self._size = settings.block_size
        self._cache = [0] * settings.capacity

    def run(self, step: Step, crops: Mapping[int, Crop]) -> list[Accepted]:
        """What `Scheduler.advance` takes."""
        batch = to_flat_batch(step, self._size)
        past, blocks, rows = (
            batch.past_lens.tolist(),
            batch.block_indices.tolist(),
            batch.logits_rows.tolist(),
        )
        begins, table_begins = batch.subsequence_begins.tolist(), batch.block_indices_begins.tolist()
        states: list[int] = []
        results = []
        for index, chunk in enumerate(step.chunks):
            crop = crops[chunk.sequence.id]
            tokens = [*crop.known[chunk.start : chunk.known_end], *chunk.draft]
            assert len(tokens) == begins[index + 1] - begins[index]
            table = blocks[table_begins[index] : table_begins[index + 1]]
            assert past[index] + len(tokens) <= batch.max_context_len
            slots = [block * self._size + slot for block in table for slot in range(self._size)]
            assert [self._cache[slot] for slot in slots[: past[index]]] == crop.states[: past[index]]
            states += self._write(tokens, slots, past[index])
            if chunk.wants_logits:
                count = 1 + len(chunk.draft)
                results.append(_accept([states[row] for row in rows[:count]], chunk.draft, crop.ends_itself))
                del rows[:count]
        assert not rows
        return results

    def _write(self, tokens: list[int], slots: list[int], past: int) -> list[int]:
        """Fills the slots after those of the past; their states."""
        state = self._cache[slots[past - 1]] if past else _FIRST_STATE
        states = []
        for slot, token in zip(slots[past:], tokens, strict=False):
            state = self._cache[slot] = _state_after(state, token)
            states.append(state)
        assert len(states) == len(tokens), "the block table is too short"
        return states


def _accept(states: list[int], draft: tuple[int, ...], ends_itself: bool) -> Accepted:
    """The draft as far as the model writes the same, and one token more."""
    tokens: list[int] = []
    for state, drafted in zip(states, [*draft, None], strict=True):
        tokens.append(_token_after(state))
        if ends_itself and tokens[-1] in FINISHES:
            return Accepted(tokens, FINISHES[tokens[-1]])
        if tokens[-1] != drafted:
            break
    return Accepted(tokens)


def _state_after(state: int, token: int) -> int:
    return (state * 48_271 + token + 1) % 2_147_483_647


def _token_after(state: int) -> int:
    return (state >> 7) % VOCABULARY
