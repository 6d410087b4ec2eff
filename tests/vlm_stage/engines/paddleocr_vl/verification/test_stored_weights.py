"""The weights that are read back from converted models are those that went in."""

from pathlib import Path

import numpy as np
import pytest

from samples.checkpoints.checkpoint import TOY, write_checkpoint
from tests.vlm_stage.convert.conversions import FP16, FP32, INT4, INT8, converted
from vlm_stage.convert.tensors import expected_tensors
from vlm_stage.convert.weights import open_weights
from vlm_stage.engines.paddleocr_vl.manifest import NetworkPrecision
from vlm_stage.engines.paddleocr_vl.verification.stored_weights import converted_tensors


@pytest.mark.parametrize(
    ("precision", "least", "most"), [(FP32, 0, 0), (FP16, 0, 1e-4), (INT8, 0.004, 0.01), (INT4, 0.05, 0.15)]
)
def test_every_tensor_is_found_and_holds_what_its_precision_keeps(
    tmp_path: Path, precision: NetworkPrecision, least: float, most: float
) -> None:
    write_checkpoint(tmp_path / "toy")
    folder = converted(tmp_path / "toy", tmp_path / "converted", precision)
    weights, errors = open_weights(tmp_path / "toy"), {}
    for tensor in converted_tensors(folder, expected_tensors(TOY)):
        assert tensor.name not in errors
        true = weights(tensor.name)
        assert tensor.count == true.size
        assert len(tensor.shape) <= 2
        found = tensor.read().reshape(true.shape)
        errors[tensor.name] = np.sqrt(np.mean((found - true) ** 2) / np.mean(true**2))
    assert errors.keys() == expected_tensors(TOY).keys()
    assert least <= max(errors.values()) <= most
