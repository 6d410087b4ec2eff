"""Two parts of paddlex's RT-DETR that Paddle 3.3.1 runs step by step but does not run once they are saved.

Both compute what paddlex 3.7.2's compute.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import paddle  # type: ignore[import-not-found]


def sampled(
    _layer: Any,
    value: Any,
    value_spatial_shapes: Any,  # noqa: ARG001
    value_spatial_shapes_list: Sequence[tuple[int, int]],
    level_start_index: Any,  # noqa: ARG001
    sampling_locations: Any,
    attention_weights: Any,
    im2col_step: int,  # noqa: ARG001
) -> Any:
    """Deformable attention (Zhu et al., arXiv:2010.04159), for `MultiScaleDeformableAttention.forward`.

    paddlex's transposes five axes by a list of four, which only step by step passes.

    Args:
        value: (pages, places of all levels, heads, channels).
        value_spatial_shapes_list: height and width of each level.
        sampling_locations: (pages, queries, heads, levels, points, 2), in parts of the page.
        attention_weights: (pages, queries, heads, levels, points).

    Returns:
        (pages, queries, heads * channels).
    """
    heads, channels = value.shape[2:]
    queries, _, levels, points, _ = sampling_locations.shape[1:]
    places = [height * width for height, width in value_spatial_shapes_list]
    grids = paddle.unbind((2 * sampling_locations - 1).transpose([0, 2, 1, 3, 4, 5]), axis=3)
    maps = paddle.split(value.transpose([0, 2, 3, 1]), places, axis=3)
    found = [
        paddle.nn.functional.grid_sample(
            maps[level].reshape([-1, channels, height, width]),
            grids[level].reshape([-1, queries, points, 2]),
            align_corners=False,
        )
        for level, (height, width) in enumerate(value_spatial_shapes_list)
    ]
    weights = attention_weights.transpose([0, 2, 1, 3, 4]).reshape([-1, 1, queries, levels * points])
    sums = (paddle.concat(found, axis=-1) * weights).sum(-1)
    return sums.reshape([-1, heads * channels, queries]).transpose([0, 2, 1])


def repeating(functional: Any) -> Any:
    """`paddle.nn.functional` whose `interpolate`, to twice the size with the nearest pixel, repeats pixels.

    Saved, Paddle's own has a list of float64, for which oneDNN in Paddle 3.3.1 has no case, nor paddle2onnx
    2.1.0 unless it is empty.
    """

    def interpolate(feature_map: Any, scale_factor: float, mode: str) -> Any:
        assert (scale_factor, mode) == (2, "nearest")
        channels, height, width = feature_map.shape[1:]
        pixels = feature_map.reshape([-1, channels, height, 1, width, 1]).tile([1, 1, 1, 2, 1, 2])
        return pixels.reshape([-1, channels, 2 * height, 2 * width])

    return SimpleNamespace(**{**vars(functional), "interpolate": interpolate})
