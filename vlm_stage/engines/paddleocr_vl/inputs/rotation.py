"""Cosines and sines of the rotary position embeddings, in float32 on the host.

The networks take them as inputs: on a GPU they would compute the angles in float16.
"""

import numpy as np
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.model_config import TextConfig, VisionConfig

Rotation = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Cosine and sine, both of shape (positions, head_dim)."""


def inverse_frequencies(theta: float, dim: int) -> NDArray[np.float32]:
    """Shape (dim / 2,): theta to the power of -2i/dim, to the last bit as transformers 5.24 computes it.

    The bit counts: a thousand positions on, it is 6e-5 of an angle. numpy's own power of float32 has another
    one in a fifth of the frequencies.
    """
    exponents = np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim)
    powers = np.power(np.float64(theta), exponents.astype(np.float64)).astype(np.float32)
    frequencies: NDArray[np.float32] = np.float32(1.0) / powers
    return frequencies


class TextRotation:
    """M-RoPE (Wang et al. 2024, arXiv 2409.12191): sections of the frequencies turn with time, row and
    column."""

    def __init__(self, config: TextConfig) -> None:
        self._frequencies = inverse_frequencies(config.rope_theta, config.head_dim)
        self._axes = np.repeat(np.arange(3), config.mrope_section)

    def at(self, positions: NDArray[np.int64]) -> Rotation:
        """The rotation at positions of shape (3, T)."""
        return _rotation(positions[self._axes].T.astype(np.float32) * self._frequencies)


def axial_rotation(hw_ids: NDArray[np.int64], config: VisionConfig) -> Rotation:
    """The vision encoder's, at rows and columns of shape (N, 2): half of the frequencies turn with each."""
    frequencies = inverse_frequencies(config.rope_theta, config.head_dim // 2)
    angles = hw_ids.astype(np.float32)[:, :, None] * frequencies
    return _rotation(angles.reshape(len(hw_ids), -1))


def _rotation(half: NDArray[np.float32]) -> Rotation:
    """Each frequency stands in both halves of a head."""
    angles = np.concatenate([half, half], axis=1)
    return np.cos(angles), np.sin(angles)
