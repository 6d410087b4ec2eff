"""The weights in a converted model's files, against those of the checkpoint."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vlm_stage.convert.tensors import expected_tensors, parameter_count
from vlm_stage.convert.weights import open_weights
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig
from vlm_stage.engines.paddleocr_vl.verification.stored_weights import converted_tensors
from vlm_stage.progress import Report

_PIECE = 1 << 20
"""Numbers compared at a time: what is made of them fits into a cache."""


@dataclass(frozen=True, slots=True)
class WeightError:
    """A tensor's error: the root of its mean square, over that of the tensor's numbers; `where` names it."""

    worst: float
    where: str


def count_parameters(folder: Path, config: ModelConfig) -> int:
    """How many numbers the networks of a converted model hold, each tensor counted once.

    Raises:
        ModelMissing: a network cannot be read.
    """
    return sum(
        {tensor.name: tensor.count for tensor in converted_tensors(folder, expected_tensors(config))}.values()
    )


def weight_errors(folder: Path, config: ModelConfig, source: Path, report: Report) -> dict[str, WeightError]:
    """The error of the worst tensor of each network, by the network's file.

    Args:
        folder: the converted model.
        config: its sizes.
        source: the checkpoint's folder.
        report: is told how far it is.

    Raises:
        ModelMissing: a file cannot be read.
    """
    weights, total, done = open_weights(source), parameter_count(config), 0
    worst: dict[str, WeightError] = {}
    for tensor in converted_tensors(folder, expected_tensors(config)):
        report("compare weights", min(done / total, 1.0))
        done += tensor.count
        error = WeightError(_error(tensor.read(), weights(tensor.name)), tensor.name)
        if tensor.network not in worst or not error.worst <= worst[tensor.network].worst:
            worst[tensor.network] = error
    return worst


def _error(found: NDArray[np.float32], expected: NDArray[np.float32]) -> float:
    wrong = right = 0.0
    for own, true in zip(_pieces(found), _pieces(expected), strict=True):
        wrong += float(np.square(own - true).sum(dtype=np.float64))
        right += float(np.square(true).sum(dtype=np.float64))
    if right:
        return float(np.sqrt(wrong / right))
    return float("inf") if wrong else 0.0


def _pieces(numbers: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    flat = numbers.reshape(-1)
    for start in range(0, flat.size, _PIECE):
        yield flat[start : start + _PIECE]
