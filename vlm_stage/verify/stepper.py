"""The paged decoder, driven step by step without a scheduler: who is in a step, and with what, is given."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.inputs.rotation import TextRotation
from vlm_stage.engines.paddleocr_vl.model_config import TextConfig
from vlm_stage.engines.paddleocr_vl.networks.embedder import Embedder
from vlm_stage.engines.paddleocr_vl.networks.flat_batch import NO_ROWS, FlatBatch, flat_batch
from vlm_stage.engines.paddleocr_vl.networks.paged_decoder import DecoderInputs, DecoderOutputs, PagedDecoder
from vlm_stage.verify.prompted import Prompted

Logits = NDArray[np.float32]

_LARGEST_BLOCK = 256
"""Positions; devices choose 16 or 32."""
_SCALES = 1.1
"""Room for the scales of compressed keys and values, and for blocks that are left over."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One sequence's part in a step: positions `start` to `end` - 1, the logits of the last `wanted` of them.

    `tokens` are what follows the prompt, as far as the step needs it. `place` is the sequence's among those
    of the `Stepper`, from 0, and says which KV blocks it has.
    """

    place: int
    prompt: Prompted
    tokens: Sequence[int]
    start: int
    end: int
    wanted: int = 1


class Stepper:
    """Runs steps of a few sequences, each with KV blocks of its own, which do not lie side by side."""

    def __init__(self, decoder: PagedDecoder, embedder: Embedder, config: TextConfig, places: int) -> None:
        """`places` is how many sequences have KV blocks at the same time."""
        self._decoder, self._embedder, self._places = decoder, embedder, places
        self._rotation = TextRotation(config)

    def run(self, parts: Sequence[Part]) -> list[Logits]:
        """One step; for each part its logits, float32 (wanted, vocabulary)."""
        *ends, count = accumulate(part.wanted for part in parts)
        outputs = self._run(parts, np.arange(count) if count else NO_ROWS)
        return [np.array(rows) for rows in np.split(outputs.logits[:count], ends)]

    def run_greedily(self, parts: Sequence[Part]) -> None:
        """One step as greedy decoding runs it, which brings no logits from the device."""
        self._run(parts, NO_ROWS)

    def _run(self, parts: Sequence[Part], sampled: NDArray[np.int64]) -> DecoderOutputs:
        embeds = np.concatenate([self._embeds(part) for part in parts])
        positions = [part.prompt.positions_of(part.start, part.end) for part in parts]
        rotation = self._rotation.at(np.concatenate(positions, axis=1))
        return self._decoder.run(DecoderInputs(embeds, rotation, self._batch(parts), sampled))

    def _embeds(self, part: Part) -> NDArray[np.float32]:
        length = len(part.prompt)
        own = part.prompt.embeds[part.start : part.end]
        ids = part.tokens[max(0, part.start - length) : max(0, part.end - length)]
        return np.concatenate([own, self._embedder.embed(ids)]) if len(ids) else own

    def _batch(self, parts: Sequence[Part]) -> FlatBatch:
        pieces = [piece for part in parts for piece in _pieces(part)]
        spans = [(piece.start, piece.end) for piece in pieces]
        wanted = [row for rows in _wanted_rows(parts) for row in rows]
        return flat_batch(spans, [self._table(piece) for piece in pieces], wanted or NO_ROWS.tolist())

    def _table(self, part: Part) -> range:
        blocks = range(part.place, self._decoder.block_count, self._places)
        needed = -(-part.end // self._decoder.block_size)
        assert needed <= len(blocks), f"{needed} KV blocks wanted, {len(blocks)} are there"
        return blocks[:needed]


def _pieces(part: Part) -> Iterator[Part]:
    """Its part of the prompt, and each token behind that as a sequence of its own, as the engine runs them
    (`step_inputs`)."""
    length = len(part.prompt)
    if part.start < length:
        yield replace(part, end=min(part.end, length))
    for position in range(max(part.start, length), part.end):
        yield replace(part, start=position, end=position + 1)


def _wanted_rows(parts: Sequence[Part]) -> Iterator[range]:
    """The rows of a step whose logits are wanted, for each part."""
    ends = accumulate(part.end - part.start for part in parts)
    return (range(end - part.wanted, end) for part, end in zip(parts, ends, strict=True))


def kv_megabytes(config: TextConfig, places: int, positions: int) -> int:
    """Megabytes that hold so many positions at each place in any precision, whatever the blocks' size."""
    bytes_of_position = config.num_hidden_layers * 2 * config.num_key_value_heads * config.head_dim * 4
    return math.ceil(places * (positions + _LARGEST_BLOCK) * bytes_of_position * _SCALES / 1e6)
