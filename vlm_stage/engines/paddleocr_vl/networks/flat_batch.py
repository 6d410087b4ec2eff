"""A step as the arrays that paged attention takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.scheduling.step import Step

Int32s = NDArray[np.int32]

NO_ROWS = np.zeros(1, np.int64)
"""One row nobody asks for, where none is wanted: devices do not all take an empty tensor."""


@dataclass(frozen=True, slots=True)
class FlatBatch:
    """N chunks of T tokens in all, one after another.

    The names are those of the inputs of OpenVINO's PagedAttention (2026.4), but for `logits_rows`.
    """

    past_lens: Int32s
    """[N]: the positions of each chunk's sequence that are in the cache."""
    subsequence_begins: Int32s
    """[N + 1]: where each chunk's tokens begin among the T, and T."""
    block_indices: Int32s
    """[M]: the block tables of all chunks, each as long as its positions need once it has been run."""
    block_indices_begins: Int32s
    """[N + 1]: where each chunk's block table begins among the M, and M."""
    max_context_len: int
    """The positions of the longest sequence once the step has been run."""
    logits_rows: NDArray[np.int64]
    """[R]: which of the T want logits, in the order of `Step.sampled`, 1 + len(draft) of each."""


def to_flat_batch(step: Step, block_size: int) -> FlatBatch:
    """The arrays of a step; to be asked before the step is ended, since block tables change then."""
    chunks = step.chunks
    ends = accumulate(chunk.length for chunk in chunks)
    rows = [
        row for chunk, end in zip(chunks, ends, strict=True) for row in range(end - chunk.logits_rows, end)
    ]
    tables = [chunk.sequence.blocks[: -(-chunk.end // block_size)] for chunk in chunks]
    return flat_batch([(chunk.start, chunk.end) for chunk in chunks], tables, rows)


def flat_batch(
    spans: Sequence[tuple[int, int]], tables: Sequence[Sequence[int]], logits_rows: Sequence[int]
) -> FlatBatch:
    """The arrays of chunks, at least one.

    Args:
        spans: the position at which each chunk starts, and the one after its last.
        tables: the block table of each, as long as its positions need.
        logits_rows: as `FlatBatch` has them.
    """
    lengths = (end - start for start, end in spans)
    return FlatBatch(
        past_lens=np.array([start for start, _ in spans], np.int32),
        subsequence_begins=np.array([0, *accumulate(lengths)], np.int32),
        block_indices=np.array([block for table in tables for block in table], np.int32),
        block_indices_begins=np.array([0, *accumulate(map(len, tables))], np.int32),
        max_context_len=max(end for _, end in spans),
        logits_rows=np.array(logits_rows, np.int64),
    )
