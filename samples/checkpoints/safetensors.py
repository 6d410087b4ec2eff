"""Writing a safetensors file piece by piece, so that a checkpoint of any size needs little memory."""

import json
from collections.abc import Callable, Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Shape = tuple[int, ...]
Dtype = Literal["bf16", "f16", "f32"]

Pieces = Callable[[str, Shape], Iterable[NDArray[np.float32]]]
"""Gives a tensor by name and shape: its numbers in C order, flat, in pieces of any length."""

ITEM_BYTES: Mapping[Dtype, int] = {"bf16": 2, "f16": 2, "f32": 4}


def write_safetensors(path: Path, shapes: Mapping[str, Shape], pieces: Pieces, dtype: Dtype) -> None:
    """Writes these tensors, in this order.

    The format (https://huggingface.co/docs/safetensors): the length of the header as u64, the header as JSON
    padded with spaces to a multiple of eight, then the tensors' bytes, all little-endian.
    """
    with path.open("wb") as file:
        file.write(file_header(shapes, dtype))
        for name, shape in shapes.items():
            written = sum(file.write(_encoded(piece, dtype)) for piece in pieces(name, shape))
            if written != prod(shape) * ITEM_BYTES[dtype]:
                raise ValueError(f"{name} is of shape {shape}, but its pieces hold {written} bytes")


def file_header(shapes: Mapping[str, Shape], dtype: Dtype) -> bytes:
    """All that comes before the tensors' bytes."""
    entries: dict[str, object] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, shape in shapes.items():
        start, end = end, end + prod(shape) * ITEM_BYTES[dtype]
        entries[name] = {"dtype": dtype.upper(), "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _encoded(values: NDArray[np.float32], dtype: Dtype) -> bytes:
    if dtype == "bf16":
        return as_bfloat16(values).tobytes()
    return values.astype("<f2" if dtype == "f16" else "<f4").tobytes()


def as_bfloat16(values: NDArray[np.float32]) -> NDArray[np.uint16]:
    """The upper halves of finite float32 numbers, rounded to the nearest, ties to even."""
    bits = values.astype("<f4").view("<u4")
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (rounded >> np.uint32(16)).astype("<u2")
