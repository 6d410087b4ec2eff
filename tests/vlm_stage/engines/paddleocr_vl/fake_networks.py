"""Networks without weights: each row of embeddings carries its token, and what follows depends on all before
it."""

import threading
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vlm_stage.engines.paddleocr_vl.inputs.images import Patches
from vlm_stage.engines.paddleocr_vl.networks.paged_decoder import DecoderInputs, DecoderOutputs

WIDTH = 4
VOCABULARY = 512
END = 2
LETTERS = "!#&*?@|~"
"""What the decoder writes: characters that no tokenizer joins to longer tokens."""


class FakeEmbedder:
    """A token's row holds the token in its first column, and ones."""

    def embed(self, ids: ArrayLike) -> NDArray[np.float32]:
        rows = np.ones((len(np.asarray(ids)), WIDTH), np.float32)
        rows[:, 0] = ids
        return rows


@dataclass
class FakeVision:
    """Image tokens that depend on the pixels.

    `refused` rows cannot be begun, and `broken` ones fail after that; a `cold` one does not warm up.
    """

    broken: int = 0
    refused: int = 0
    cold: bool = False
    rows: list[int] = field(default_factory=list)
    """How many crops were encoded together, for each row."""
    _crops: Sequence[Patches] = ()
    is_done: bool = True

    def warm_up(self) -> None:
        if self.cold:
            raise RuntimeError("the device is out of memory")

    def start(self, crops: Sequence[Patches]) -> None:
        assert not self._crops, "the last row was not collected"
        if self.refused:
            self.refused -= 1
            raise RuntimeError("the device is out of memory")
        self._crops = crops
        self.rows.append(len(crops))

    def collect(self) -> list[NDArray[np.float32]]:
        crops, self._crops = self._crops, ()
        if self.broken:
            self.broken -= 1
            raise RuntimeError("the device is lost")
        return [_image_tokens(crop) for crop in crops]


class StuckVision(FakeVision):
    """Encodes nothing before `go_on` is set."""

    def __init__(self, go_on: threading.Event) -> None:
        super().__init__()
        self._go_on = go_on

    def collect(self) -> list[NDArray[np.float32]]:
        self._go_on.wait(5)
        return super().collect()


def _image_tokens(crop: Patches) -> NDArray[np.float32]:
    rows = np.ones((len(crop.values) // 4, WIDTH), np.float32)
    rows[:, 0] = 1000 + np.round(crop.values.reshape(len(rows), -1).mean(axis=1) * 100)
    return rows


class FakeDecoder:
    """Remembers tokens in KV blocks, and reads them back through block tables, as paged attention does.

    The token that follows is one of `alphabet`, by all tokens before it, or the end. `broken` and `nan` are
    numbers of steps, from 0, that fail, or whose outputs are no numbers.
    """

    def __init__(self, block_size: int = 4, block_count: int = 400) -> None:
        self.block_size, self.block_count = block_size, block_count
        self.broken: set[int] = set()
        self.nan: set[int] = set()
        self.alphabet: tuple[int, ...] = ()
        self.steps = 0
        self.most_sequences = 0
        self._cache = np.full((block_count, block_size), np.nan, np.float64)

    def run(self, inputs: DecoderInputs) -> DecoderOutputs:
        step, self.steps = self.steps, self.steps + 1
        if step in self.broken:
            raise RuntimeError("the device is lost")
        follow = self._followers(inputs)
        logits = np.zeros((len(inputs.batch.logits_rows), VOCABULARY), np.float32)
        for row, of in enumerate(inputs.batch.logits_rows):
            logits[row, follow[of]] = 9.0
        probability = np.nan if step in self.nan else 0.5
        return DecoderOutputs(
            logits.argmax(axis=1).astype(np.int32),
            np.full(len(logits), probability, np.float32),
            logits[inputs.sampled_rows],
        )

    def _followers(self, inputs: DecoderInputs) -> dict[int, int]:
        batch = inputs.batch
        self.most_sequences = max(self.most_sequences, len(batch.past_lens))
        follow = {}
        for number, past in enumerate(batch.past_lens):
            first, end = batch.subsequence_begins[number : number + 2]
            table = batch.block_indices[slice(*batch.block_indices_begins[number : number + 2])]
            for row in range(first, end):
                position = past + row - first
                self._cache[table[position // self.block_size], position % self.block_size] = inputs.embeds[
                    row, 0
                ]
                history = self._cache[table].reshape(-1)[: position + 1]
                assert not np.isnan(history).any(), "attention to what nobody wrote"
                follow[row] = self._follower(history)
        return follow

    def _follower(self, history: NDArray[np.float64]) -> int:
        number = zlib.crc32(history.astype(np.int32).tobytes())
        return END if number % 37 == 0 else self.alphabet[number % len(self.alphabet)]


class DictatedDecoder(FakeDecoder):
    """Writes the tokens of `ids`, which may not hold `prompt_end`, the token in which every prompt ends."""

    def __init__(self, ids: Sequence[int], prompt_end: int) -> None:
        super().__init__()
        self._ids, self._prompt_end = (*ids, END), prompt_end

    def _follower(self, history: NDArray[np.float64]) -> int:
        newest_first = history[::-1].tolist()
        written = newest_first.index(self._prompt_end) if self._prompt_end in newest_first else 0
        return self._ids[min(written, len(self._ids) - 1)]
