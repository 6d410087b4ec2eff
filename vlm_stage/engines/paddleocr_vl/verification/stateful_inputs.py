"""What the decoder takes as its file holds it, with a KV cache that is OpenVINO's own state."""

import numpy as np
from numpy.typing import NDArray


def stateful_inputs(
    embeds: NDArray[np.float32], positions: NDArray[np.int64], *, past: int, wanted: int
) -> dict[str, NDArray[np.generic]]:
    """The inputs of `build_decoder`, by name, for the next T tokens of one sequence.

    Args:
        embeds: float32 (T, hidden).
        positions: int64 (3, T).
        past: how many tokens are in the cache.
        wanted: how many of the T, the last ones, logits are wanted of.
    """
    count = len(embeds)
    return {
        "inputs_embeds": embeds[None],
        "position_ids": positions[:, None],
        "attention_mask": np.ones((1, past + count), np.int64),
        "beam_idx": np.zeros(1, np.int32),
        "logits_idx": np.arange(count - wanted, count),
    }
