"""Whether a checkpoint holds what its sizes call for, before any work is done."""

import math
from pathlib import Path

from arcscribe.errors import InvalidOption, ModelMissing
from vlm_stage.convert.tensors import expected_tensors
from vlm_stage.convert.weights import Weights
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig
from vlm_stage.progress import Report

PUBLISHED_PARAMETERS = 905_601_648
"""Of every published model: 0.9 B, without the parts that are not used."""

LARGEST_FLOAT16 = 65_504.0
"""The largest finite number of IEEE 754's binary16."""


def check_tensors(folder: Path, config: ModelConfig, weights: Weights) -> int:
    """Sees that every tensor is there, and no other; gives the number of parameters in use.

    Raises:
        ModelMissing: a tensor is missing, of another shape, or of another model.
    """
    expected, found = expected_tensors(config), weights.tensors
    if missing := [name for name in expected if name not in found]:
        raise ModelMissing(f"{folder} lacks {len(missing)} of {len(expected)} tensors, first {missing[0]}")
    for name, shape in expected.items():
        if found[name].shape != shape:
            raise ModelMissing(
                f"{folder}: {name} has shape {found[name].shape}, and config.json calls for {shape}"
            )
    if strange := [name for name in found if name not in expected]:
        raise ModelMissing(f"{folder} holds {len(strange)} tensors of another model, first {strange[0]}")
    return sum(tensor.count for tensor in found.values())


def check_parameters(name: str, parameters: int) -> None:
    """Sees that what is said to be a published model has as many parameters.

    Raises:
        InvalidOption: it has not.
    """
    if parameters != PUBLISHED_PARAMETERS:
        raise InvalidOption(
            f"{name} has {PUBLISHED_PARAMETERS / 1e6:,.1f} M parameters,"
            f" and this checkpoint {parameters / 1e6:,.1f} M",
            field="checkpoint",
        )


def check_numbers(folder: Path, weights: Weights, report: Report, *, float16: bool) -> None:
    """Reads all weights once, and sees that they are numbers that can be stored.

    Raises:
        ModelMissing: a weight is infinite or NaN, or too large for float16 where that is asked for.
    """
    total, done = sum(tensor.count for tensor in weights.tensors.values()), 0
    for name, tensor in weights.tensors.items():
        peak = tensor.peak()
        if not math.isfinite(peak):
            raise ModelMissing(f"{folder} is damaged: {name} holds infinite values or NaN")
        if float16 and peak > LARGEST_FLOAT16:
            raise ModelMissing(f"{folder}: {name} holds {peak:,.0f}, too large for float16; use fp32 or int8")
        done += tensor.count
        report("check weights", done / total)
