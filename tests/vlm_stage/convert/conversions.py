"""Conversions of toys, and running what comes out."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from samples.checkpoints.checkpoint import TOY
from vlm_stage.convert.convert import convert
from vlm_stage.convert.request import Request
from vlm_stage.engines.paddleocr_vl.inputs.images import ImageSettings, patchify
from vlm_stage.engines.paddleocr_vl.manifest import VISION, NetworkPrecision
from vlm_stage.engines.paddleocr_vl.networks.packing import pack

FP32, FP16, INT8, INT4 = (NetworkPrecision(name) for name in ("fp32", "fp16", "int8", "int4"))


def unheard(_stage: str, _fraction: float) -> None:
    """For a test that does not look at progress."""


def converted(checkpoint: Path, out: Path, precision: NetworkPrecision = FP32, **options: Any) -> Path:
    convert(Request(checkpoint, out, precision, **options), unheard)
    return out


def crop(seed: int) -> NDArray[np.uint8]:
    """Something with edges, not noise: random blocks."""
    blocks = np.random.default_rng(seed).integers(0, 2, (5, 20, 1), dtype=np.uint8) * 255
    return np.kron(blocks, np.ones((8, 8, 3), np.uint8))


def image_tokens(folder: Path, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    small = ImageSettings(min_pixels=784, image_mean=(0.5,) * 3, image_std=(0.5,) * 3)
    return run(folder / VISION, pack([patchify(picture, small)], TOY.vision).arrays)


def logits(path: Path) -> NDArray[np.float32]:
    """Of the decoder, for a sequence of random embeddings far into a text."""
    length, rng = 24, np.random.default_rng(0)
    return run(
        path,
        {
            "inputs_embeds": rng.standard_normal((1, length, TOY.text.hidden_size), np.float32),
            "position_ids": np.tile(np.arange(3000, 3000 + length), (3, 1, 1)),
            "attention_mask": np.ones((1, length), np.int64),
            "beam_idx": np.zeros(1, np.int32),
            "logits_idx": np.arange(length),
        },
    )


def run(path: Path, inputs: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
    exact = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"}
    network = ov.Core().compile_model(path, "CPU", exact)
    return np.array(network.create_infer_request().infer(inputs)[0])


def likeness(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    """The correlation of two arrays."""
    return float(np.corrcoef(first.ravel(), second.ravel())[0, 1])


def stored_types(path: Path) -> Counter[str]:
    """How many numbers a network's constants hold in each type."""
    found: Counter[str] = Counter()
    for node in ov.Core().read_model(path).get_ops():
        if node.get_type_name() == "Constant":
            found[node.get_output_element_type(0).get_type_name()] += int(np.prod(node.get_output_shape(0)))
    return found
