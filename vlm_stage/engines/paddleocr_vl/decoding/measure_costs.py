"""How long steps of several tokens take on this machine, from which drafts decide how much to offer."""

import time
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from vlm_stage.engines.paddleocr_vl.drafts.costs import DraftCosts
from vlm_stage.engines.paddleocr_vl.model_config import TextConfig
from vlm_stage.engines.paddleocr_vl.networks.flat_batch import NO_ROWS, flat_batch
from vlm_stage.engines.paddleocr_vl.networks.paged_decoder import DecoderInputs, PagedDecoder

_PAST = 256
"""Tokens before the step: about as many as a prompt has."""
_ROUNDS = 3
"""Of which the fastest counts: other processes can only make a step slower."""


def measure_costs(decoder: PagedDecoder, config: TextConfig, longest: int) -> DraftCosts:
    """The costs of steps of 1, 2, 4, ... tokens of one sequence, up to `longest` drafted ones.

    Writes to the first KV blocks, so nothing may be running. Where there are too few of them, costs are the
    ones that `DraftCosts` has by default.
    """
    room = decoder.block_count * decoder.block_size - longest - 1
    past = min(_PAST, room)
    if past < 1:
        return DraftCosts()
    _run(decoder, config, 0, [past])
    sizes = [1, *(size for size in (2, 4, 8, 16, 32) if size < longest + 1), longest + 1]
    seconds = [_fastest(decoder, config, past, size) for size in sizes]
    costs = np.maximum.accumulate(np.array(seconds) / seconds[0])
    return DraftCosts(tuple(zip(sizes, costs.tolist(), strict=True)))


def _fastest(decoder: PagedDecoder, config: TextConfig, past: int, tokens: int) -> float:
    times = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        _run(decoder, config, past, [1] * tokens)
        times.append(time.perf_counter() - start)
    return min(times)


def _run(decoder: PagedDecoder, config: TextConfig, past: int, pieces: Sequence[int]) -> None:
    """A step of pieces of so many tokens behind the past ones; all logits are wanted.

    The pieces share a block table, as the tokens of a draft do in `step_inputs`.
    """
    spans = list(pairwise(accumulate(pieces, initial=past)))
    tables = [range(-(-end // decoder.block_size)) for _, end in spans]
    tokens = sum(pieces)
    batch = flat_batch(spans, tables, range(tokens))
    angles = np.zeros((tokens, config.head_dim), np.float32)
    rotation = np.cos(angles), np.sin(angles)
    embeds = np.ones((tokens, config.hidden_size), np.float32)
    decoder.run(DecoderInputs(embeds, rotation, batch, NO_ROWS))
