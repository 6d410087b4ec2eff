"""A step of the scheduler as the decoder takes it.

What is behind a prompt goes in token by token, each as a sequence of its own that shares the block table; a
prompt never goes in as a single token. For attention adds up in another order for one token than for several,
and where activations are rounded to INT8 on the way, that can be seen in the text. Taken apart, a token's
logits are the same bits whether it is decoded or verified as a draft, and however the prompt was cut. Tried
with FP32, FP16, INT8 and INT4 weights on a CPU (OpenVINO 2026.4), where a step writes all its keys and values
before it reads any. To verify 16 tokens costs a tenth more that way behind 256 tokens, and a third more
behind 1,024.

Tokens of a prompt and behind it in the same chunk, as when a sequence is run again after it was preempted,
stay together: several tokens blank what follows them in their last block.
"""

from collections import abc
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.decoding.generation import Generation
from vlm_stage.engines.paddleocr_vl.inputs.rotation import TextRotation
from vlm_stage.engines.paddleocr_vl.networks.embedder import Embedder
from vlm_stage.engines.paddleocr_vl.networks.flat_batch import NO_ROWS, to_flat_batch
from vlm_stage.engines.paddleocr_vl.networks.paged_decoder import DecoderInputs
from vlm_stage.engines.paddleocr_vl.scheduling.step import Chunk, Step

Generations = abc.Mapping[int, Generation]
Pieces = abc.Sequence[Chunk]


class StepInputs:
    """Makes a step's arrays."""

    def __init__(self, embedder: Embedder, rotation: TextRotation, block_size: int) -> None:
        self._embedder, self._rotation, self._block_size = embedder, rotation, block_size

    def of(self, step: Step, generations: Generations) -> DecoderInputs:
        """The decoder's inputs for a step of these generations, by id."""
        pieces = tuple(piece for chunk in step.chunks for piece in take_apart(chunk))
        batch = to_flat_batch(Step(pieces), self._block_size)
        if not len(batch.logits_rows):
            batch = replace(batch, logits_rows=NO_ROWS)
        return DecoderInputs(
            self._embeds(step, pieces, generations),
            self._rotation.at(_positions(pieces, generations)),
            batch,
            _sampled_rows(step, generations),
        )

    def _embeds(self, step: Step, pieces: Pieces, generations: Generations) -> NDArray[np.float32]:
        """Of prompts as they were encoded, of the rest by looking them up, all at once."""
        ids = [token for chunk in step.chunks for token in _ids_behind_prompt(chunk)]
        found = self._embedder.embed(ids) if ids else None
        if found is not None and not any(map(_has_prompt, pieces)):
            return found
        rows, taken = [], 0
        for piece in pieces:
            rows.append(generations[piece.sequence.id].embeds[piece.start : piece.end])
            count = piece.length - len(rows[-1])
            if found is not None and count:
                rows.append(found[taken : taken + count])
                taken += count
        return np.concatenate(rows)


def take_apart(chunk: Chunk) -> abc.Iterator[Chunk]:
    """Each token alone, if all are behind the prompt; a single one of the prompt with one beside it, which is
    run once more or ahead of time."""
    sequence = chunk.sequence
    if chunk.start >= sequence.prompt_length:
        for place in range(chunk.start, chunk.end):
            yield Chunk(sequence, place, 1, (), chunk.wants_logits and place + 1 >= chunk.known_end)
    elif chunk.length > 1 or sequence.prompt_length == 1:
        yield chunk
    else:
        yield Chunk(sequence, max(0, chunk.start - 1), 2, (), chunk.wants_logits)


def _has_prompt(piece: Chunk) -> bool:
    return piece.start < piece.sequence.prompt_length


def _ids_behind_prompt(chunk: Chunk) -> abc.Sequence[int]:
    sequence = chunk.sequence
    start = max(0, chunk.start - sequence.prompt_length)
    end = max(0, chunk.known_end - sequence.prompt_length)
    return (*sequence.output[start:end], *chunk.draft)


def _positions(pieces: Pieces, generations: Generations) -> NDArray[np.int64]:
    """Int64 (3, T): a prompt's own; behind it the same on all axes."""
    if any(map(_has_prompt, pieces)):
        each = [_positions_of(piece, generations[piece.sequence.id]) for piece in pieces]
        return np.concatenate(each, axis=1)
    behind = np.array([piece.start + generations[piece.sequence.id].delta for piece in pieces])
    return np.broadcast_to(behind, (3, len(behind)))


def _positions_of(piece: Chunk, generation: Generation) -> NDArray[np.int64]:
    prompt = generation.positions[:, piece.start : piece.end]
    behind = np.arange(piece.start + prompt.shape[1], piece.end) + generation.delta
    return np.concatenate([prompt, np.broadcast_to(behind, (3, len(behind)))], axis=1)


def _sampled_rows(step: Step, generations: Generations) -> NDArray[np.int64]:
    rows: list[int] = []
    first = 0
    for chunk in step.chunks:
        if not generations[chunk.sequence.id].sampling.takes_largest:
            rows += range(first, first + chunk.logits_rows)
        first += chunk.logits_rows
    return np.array(rows, np.int64) if rows else NO_ROWS
