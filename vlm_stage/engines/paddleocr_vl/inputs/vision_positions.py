"""Where the patches of an image stand, as the vision encoder's two kinds of position embedding want it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Number = TypeVar("_Number", np.int64, np.float32)

POSITIONS_PER_SIDE = 27
"""The published models' learned position table is a square of this side."""


@dataclass(frozen=True, slots=True, eq=False)
class VisionPositions:
    """Of N patches, in the order of `images.Patches`; the arrays are shared and cannot be written to.

    `hw_ids`, int64 (N, 2), is a patch's row and column, for the axial RoPE. `pos_idx`, int64 (N, 4), are the
    rows of the learned table to mix for a patch, and `pos_w`, float32 (N, 4), how much of each: the bilinear
    interpolation of the table, half-pixel centres, edges repeated.
    """

    hw_ids: NDArray[np.int64]
    pos_idx: NDArray[np.int64]
    pos_w: NDArray[np.float32]


@lru_cache(maxsize=32)  # 16 MB at most: 64 bytes for each of 8,192 patches
def vision_positions(
    rows: int, columns: int, side: int = POSITIONS_PER_SIDE, merge_size: int = 2
) -> VisionPositions:
    """The positions of a grid of patches, both sides of which are multiples of `merge_size`.

    Equal to the last bit to `get_vision_interpolation_indices_and_weights` of transformers 5.24, which is
    torch's `interpolate(mode="bilinear", align_corners=False)` written out.
    """
    row, column = _in_blocks(rows, columns, merge_size)
    above, above_weights = _taps(rows, side)
    left, left_weights = _taps(columns, side)
    indices = above[row][:, :, None] * side + left[column][:, None, :]
    weights = above_weights[row][:, :, None] * left_weights[column][:, None, :]
    return VisionPositions(
        _frozen(np.stack([row, column], axis=1)),
        _frozen(indices.reshape(-1, 4)),
        _frozen(weights.reshape(-1, 4)),
    )


def _in_blocks(rows: int, columns: int, merge: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and column of each patch, block by block."""
    order = np.arange(rows * columns).reshape(rows // merge, merge, columns // merge, merge)
    raster = order.transpose(0, 2, 1, 3).reshape(-1)
    return raster // columns, raster % columns


def _taps(size: int, side: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """For each of `size` positions along an axis, the two places of the table beside it, and their weights.

    In float32, and in this order, as transformers does it; both of shape (size, 2).
    """
    centres = np.arange(size, dtype=np.float32) + np.float32(0.5)
    source = centres * np.float32(side) / np.float32(size) - np.float32(0.5)
    below = np.floor(source)
    taps = below.astype(np.int64)[:, None] + np.arange(2)
    weights = np.float32(1) - np.abs(source[:, None] - below[:, None] - np.arange(2, dtype=np.float32))
    return taps.clip(0, side - 1), weights.clip(min=0)


def _frozen(array: NDArray[_Number]) -> NDArray[_Number]:
    array.setflags(write=False)
    return array
