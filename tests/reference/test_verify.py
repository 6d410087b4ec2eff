"""Verifying a converted model where transformers is installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from samples.checkpoints.checkpoint import write_checkpoint
from tests.vlm_stage.convert.conversions import FP16, FP32, INT8, converted, unheard
from vlm_stage.engines.paddleocr_vl.manifest import NetworkPrecision
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings
from vlm_stage.verify.pictures import drawn_pictures
from vlm_stage.verify.request import Request
from vlm_stage.verify.verify import verify


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Several wait for each other longer than a toy computes."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize(("precision", "limited"), [(FP32, True), (FP16, True), (INT8, False)])
def test_a_model_is_compared_with_its_checkpoint_in_transformers(
    precision: NetworkPrecision, limited: bool, tmp_path: Path
) -> None:
    write_checkpoint(tmp_path / "toy")
    folder = converted(tmp_path / "toy", tmp_path / "converted", precision)
    pictures = drawn_pictures()[::2]
    request = Request(folder, "CPU", PaddleOcrVlSettings(), pictures, 16, tmp_path / "toy")
    found = verify(request, unheard)
    assert found.passed, [check for check in found.checks if check.passed is False]
    assert found.facts["checkpoint"].endswith("in transformers on the CPU, in float32")
    checks = {check.name: check for check in found.checks}
    for name in ("image tokens", "logits"):
        check = checks[f"{name} against transformers"]
        noise = float(check.found.split("%")[0])
        assert (check.passed, bool(check.limit)) == ((True, True) if limited else (None, False))
        assert noise < 0.01 if limited else 1 < noise < 50
    same = int(checks["greedy agreement with transformers"].found.split()[0])
    assert same == 32 if limited else same < 32
