"""Several crops in one run of the vision encoder: side by side in one row, each blind to the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.inputs.images import Patches
from vlm_stage.engines.paddleocr_vl.inputs.rotation import axial_rotation
from vlm_stage.engines.paddleocr_vl.inputs.vision_positions import vision_positions
from vlm_stage.engines.paddleocr_vl.model_config import VisionConfig

_PADDING = -1
"""The segment of patches that belong to no crop."""


@dataclass(frozen=True, slots=True, eq=False)
class PackedPatches:
    """The encoder's inputs, by name, with a batch of one row; `sizes` are the patches of each crop, in
    order."""

    arrays: dict[str, NDArray[np.generic]]
    sizes: tuple[int, ...]


def pack(crops: Sequence[Patches], config: VisionConfig, buckets: Sequence[int] = ()) -> PackedPatches:
    """Crops, at least one, in a row, padded to the smallest bucket that holds them.

    Buckets are lengths in patches; a row longer than all is not padded, and without any none is.
    """
    sizes = tuple(crop.rows * crop.columns for crop in crops)
    side, merge = config.positions_per_side, config.spatial_merge_size
    places = [vision_positions(crop.rows, crop.columns, side, merge) for crop in crops]
    rotations = [axial_rotation(place.hw_ids, config) for place in places]
    length = padded_length(sum(sizes), buckets)
    arrays: dict[str, NDArray[np.generic]] = {
        "patches": _row([crop.values for crop in crops], length),
        "cos": _row([cos for cos, _ in rotations], length),
        "sin": _row([sin for _, sin in rotations], length),
        "pos_idx": _row([place.pos_idx for place in places], length),
        "pos_w": _row([place.pos_w for place in places], length),
        "segments": _segments(sizes, length),
    }
    return PackedPatches(arrays, sizes)


def unpack(tokens: NDArray[np.float32], sizes: Sequence[int], merge: int = 2) -> list[NDArray[np.float32]]:
    """Each crop's own image tokens, of shape (patches / merge**2, hidden), out of a row of them."""
    ends = np.cumsum(sizes) // merge**2
    return [np.array(part) for part in np.split(tokens[: ends[-1]], ends[:-1])]


def padded_length(patches: int, buckets: Sequence[int]) -> int:
    """The smallest bucket that holds so many patches, or their number where none does."""
    return next((bucket for bucket in sorted(buckets) if bucket >= patches), patches)


def how_many_fit(sizes: Sequence[int], limit: int) -> int:
    """How many crops, from the first on, one run takes: one at least, and no more patches than the limit."""
    fitting = np.searchsorted(np.cumsum(sizes), limit, side="right")
    return max(1, int(fitting)) if sizes else 0


def _row(parts: Sequence[NDArray[np.generic]], length: int) -> NDArray[np.generic]:
    first = parts[0]
    if len(parts) == 1 and len(first) == length:
        return first[None]
    row = np.zeros((1, length, *first.shape[1:]), first.dtype)
    np.concatenate(parts, out=row[0, : sum(map(len, parts))])
    return row


def _segments(sizes: Sequence[int], length: int) -> NDArray[np.int32]:
    segments = np.full((1, length), _PADDING, np.int32)
    segments[0, : sum(sizes)] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return segments
