"""Random weights of a PaddleOCR-VL: the numbers, and the names under which checkpoints store them."""

import math
import re
import zlib
from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from samples.checkpoints.safetensors import Pieces, Shape
from vlm_stage.convert.tensors import EMBEDDINGS, HEAD, VISION, expected_tensors
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig, VisionConfig

Layout = Literal["published", "transformers"]

PIECE = 1 << 20
"""Numbers made at a time: 4 MiB."""

PACKED_POSITIONS = 32_768
"""Rows of a table that the published files hold and nobody reads."""

PUBLISHED = (
    ("model.visual.", "visual."),
    ("model.projector.", "mlp_AR."),
    ("model.language_model.", "model."),
)
"""Beginnings of names in transformers' state dict, and in the published files."""


def stored_name(name: str, layout: Layout) -> str:
    """What a file of that layout calls a tensor of transformers' state dict."""
    if layout == "transformers":
        return name
    for ours, published in PUBLISHED:
        if name.startswith(ours):
            return published + name.removeprefix(ours)
    return name


def stored_tensors(config: ModelConfig, layout: Layout) -> dict[str, Shape]:
    """The shapes of all tensors in a file of that layout, by the names in it, sorted.

    The published files also hold the packed positions and the pooling head of the vision model's origin.
    """
    shapes = expected_tensors(config)
    if layout == "published":
        shapes |= _unused(config.vision)
    return dict(sorted((stored_name(name, layout), shape) for name, shape in shapes.items()))


def _unused(vision: VisionConfig) -> dict[str, Shape]:
    width, inner, head = vision.hidden_size, vision.intermediate_size, f"{VISION}.head"
    return {
        f"{VISION}.embeddings.packing_position_embedding.weight": (PACKED_POSITIONS, width),
        f"{head}.probe": (1, 1, width),
        f"{head}.attention.in_proj_weight": (3 * width, width),
        f"{head}.attention.in_proj_bias": (3 * width,),
        f"{head}.attention.out_proj.weight": (width, width),
        f"{head}.attention.out_proj.bias": (width,),
        f"{head}.layernorm.weight": (width,),
        f"{head}.layernorm.bias": (width,),
        f"{head}.mlp.fc1.weight": (inner, width),
        f"{head}.mlp.fc1.bias": (inner,),
        f"{head}.mlp.fc2.weight": (width, inner),
        f"{head}.mlp.fc2.bias": (width,),
    }


def random_weights(config: ModelConfig, layout: Layout, seed: int) -> Pieces:
    """Numbers that depend on the seed and on the tensor's name in transformers' state dict alone.

    The head's row of the image token is zero, so that no greedy text holds that token: both transformers and
    we would look for a picture's features in its place.
    """
    canonical = tuple((published, ours) for ours, published in PUBLISHED)

    def pieces(name: str, shape: Shape) -> Iterator[NDArray[np.float32]]:
        if layout == "published":
            name = next(
                (new + name.removeprefix(old) for old, new in canonical if name.startswith(old)), name
            )
        mean, deviation = distribution(name, shape)
        generator = np.random.Generator(np.random.SFC64([seed, zlib.crc32(name.encode())]))
        for start in range(0, math.prod(shape), PIECE):
            numbers = generator.standard_normal(min(PIECE, math.prod(shape) - start), np.float32)
            numbers = numbers * np.float32(deviation) + np.float32(mean)
            if name == HEAD:
                row = config.image_token_id * shape[1] - start
                numbers[max(row, 0) : max(row + shape[1], 0)] = 0.0
            yield numbers

    return pieces


def distribution(name: str, shape: Shape) -> tuple[float, float]:
    """Mean and standard deviation of a tensor's numbers.

    A matrix keeps the size of what it multiplies, whatever the widths are, so that a toy behaves as the full
    size does. Queries and keys are larger, so that attention chooses; the embeddings are as large as what the
    layers add to them. Then greedy texts depend on the picture, and two thirds of their tokens differ.
    """
    if re.search(r"norm\d?\.weight$", name):
        return 1.0, 0.1
    if name == EMBEDDINGS:
        return 0.0, 0.3
    if len(shape) == 1 or "position_embedding" in name or name.endswith(".probe"):
        return 0.0, 0.02
    gain = 2.0 if re.search(r"\.[qk]_proj\.weight$", name) else 1.0
    return 0.0, gain / math.sqrt(math.prod(shape[1:]))
