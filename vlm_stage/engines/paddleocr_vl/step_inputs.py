"""A step of the scheduler as the decoder takes it."""

from collections import abc
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.decoder import DecoderInputs
from vlm_stage.engines.paddleocr_vl.embedder import Embedder
from vlm_stage.engines.paddleocr_vl.flat_batch import to_flat_batch
from vlm_stage.engines.paddleocr_vl.rotation import TextRotation
from vlm_stage.engines.paddleocr_vl.step import Chunk, Step
from vlm_stage.engines.paddleocr_vl.writing import Writing

_NO_ROWS = np.zeros(1, np.int64)
"""One row nobody asks for, where none is wanted: devices do not all take an empty tensor."""


class StepInputs:
    """Makes a step's arrays."""

    def __init__(self, embedder: Embedder, rotation: TextRotation, block_size: int) -> None:
        self._embedder, self._rotation, self._block_size = embedder, rotation, block_size

    def of(self, step: Step, writings: abc.Mapping[int, Writing]) -> DecoderInputs:
        """The decoder's inputs for a step of these writings, by id."""
        batch = to_flat_batch(step, self._block_size)
        parts = [(chunk, writings[chunk.sequence.id]) for chunk in step.chunks]
        if not len(batch.logits_rows):
            batch = replace(batch, logits_rows=_NO_ROWS)
        return DecoderInputs(
            self._embeds(parts),
            self._rotation.at(np.concatenate([_positions(*part) for part in parts], axis=1)),
            batch,
            _sampled_rows(parts),
        )

    def _embeds(self, parts: abc.Sequence[tuple[Chunk, Writing]]) -> NDArray[np.float32]:
        """Of prompts as they were encoded, of the rest by looking them up, all at once."""
        ids = [token for chunk, _ in parts for token in _output_ids(chunk)]
        found = self._embedder.embed(ids) if ids else None
        if found is not None and len(ids) == sum(chunk.length for chunk, _ in parts):
            return found
        rows, taken = [], 0
        for chunk, writing in parts:
            rows.append(writing.embeds[chunk.start : chunk.end])
            count = chunk.length - len(rows[-1])
            if found is not None and count:
                rows.append(found[taken : taken + count])
                taken += count
        return np.concatenate(rows)


def _output_ids(chunk: Chunk) -> abc.Sequence[int]:
    """The tokens of a chunk that are behind the prompt."""
    sequence = chunk.sequence
    start = max(0, chunk.start - sequence.prompt_length)
    end = max(0, chunk.known_end - sequence.prompt_length)
    return (*sequence.output[start:end], *chunk.draft)


def _positions(chunk: Chunk, writing: Writing) -> NDArray[np.int64]:
    """Int64 (3, length): the prompt's own, then the same on all axes."""
    prompt = writing.positions[:, chunk.start : chunk.end]
    behind = np.arange(chunk.start + prompt.shape[1], chunk.end) + writing.delta
    if not prompt.shape[1]:
        return np.broadcast_to(behind, (3, len(behind)))
    return np.concatenate([prompt, np.broadcast_to(behind, (3, len(behind)))], axis=1)


def _sampled_rows(parts: abc.Sequence[tuple[Chunk, Writing]]) -> NDArray[np.int64]:
    rows: list[int] = []
    first = 0
    for chunk, writing in parts:
        if not writing.sampling.takes_largest:
            rows += range(first, first + chunk.logits_rows)
        first += chunk.logits_rows
    return np.array(rows, np.int64) if rows else _NO_ROWS
