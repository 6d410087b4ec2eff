"""Weights of the toy size, without a checkpoint."""

import zlib

import numpy as np
from numpy.typing import NDArray

from samples.checkpoints.checkpoint import TOY
from vlm_stage.convert.tensors import expected_tensors

SHAPES = expected_tensors(TOY)


def toy_weights(name: str) -> NDArray[np.float32]:
    """Large enough that what comes out depends on everything that goes in."""
    shape = SHAPES[name]
    if "norm" in name:
        return (np.ones if name.endswith("weight") else np.zeros)(shape, np.float32)
    scale = 1.0 if "embed_tokens" in name else 0.15
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    return (rng.standard_normal(shape) * scale).astype(np.float32)
