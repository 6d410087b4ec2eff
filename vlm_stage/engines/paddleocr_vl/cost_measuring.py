"""How long steps of several tokens take on this machine, from which drafts decide how much to offer."""

import time

import numpy as np

from vlm_stage.engines.paddleocr_vl.decoder import DecoderInputs, PagedDecoder
from vlm_stage.engines.paddleocr_vl.draft_costs import DraftCosts
from vlm_stage.engines.paddleocr_vl.flat_batch import FlatBatch
from vlm_stage.engines.paddleocr_vl.model_config import TextConfig

_ROUNDS = 3
"""Of which the fastest counts: other processes can only make a step slower."""


def measure_costs(decoder: PagedDecoder, config: TextConfig, longest: int) -> DraftCosts:
    """The costs of steps of 1, 2, 4, ... tokens of one sequence, up to `longest` drafted ones.

    Writes to the first KV blocks, so nothing may be running. Where there are too few of them, costs are the
    ones that `DraftCosts` has by default.
    """
    if _blocks(decoder, decoder.block_size + longest + 1) > decoder.block_count:
        return DraftCosts()
    _run(decoder, config, past=0, tokens=decoder.block_size)
    sizes = [1, *(size for size in (2, 4, 8, 16, 32) if size < longest + 1), longest + 1]
    seconds = [_fastest(decoder, config, size) for size in sizes]
    costs = np.maximum.accumulate(np.array(seconds) / seconds[0])
    return DraftCosts(tuple(zip(sizes, costs.tolist(), strict=True)))


def _fastest(decoder: PagedDecoder, config: TextConfig, tokens: int) -> float:
    times = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        _run(decoder, config, past=decoder.block_size, tokens=tokens)
        times.append(time.perf_counter() - start)
    return min(times)


def _run(decoder: PagedDecoder, config: TextConfig, past: int, tokens: int) -> None:
    """A step of one sequence with so many tokens behind the past ones, all of whose logits are wanted."""
    blocks = _blocks(decoder, past + tokens)
    turn = np.ones((tokens, config.head_dim), np.float32), np.zeros((tokens, config.head_dim), np.float32)
    batch = FlatBatch(
        past_lens=np.array([past], np.int32),
        subsequence_begins=np.array([0, tokens], np.int32),
        block_indices=np.arange(blocks, dtype=np.int32),
        block_indices_begins=np.array([0, blocks], np.int32),
        max_context_len=past + tokens,
        logits_rows=np.arange(tokens),
    )
    embeds = np.ones((tokens, config.hidden_size), np.float32)
    decoder.run(DecoderInputs(embeds, turn, batch, np.zeros(1, np.int64)))


def _blocks(decoder: PagedDecoder, positions: int) -> int:
    size: int = decoder.block_size
    return -(-positions // size)
