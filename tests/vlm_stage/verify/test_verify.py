"""Verifying a toy, on the CPU: what is right passes, and what is wrong is found where it is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from arcscribe.errors import DeviceMissing, ModelMissing
from arcscribe.models.verification import Verification, VerifyCheck
from samples.checkpoints.checkpoint import TOY, write_checkpoint, write_weights
from samples.checkpoints.weights import random_weights, stored_tensors
from tests.vlm_stage.convert.conversions import converted, unheard
from tests.vlm_stage.verify.spoiling import replace_file
from vlm_stage.engines.paddleocr_vl.inputs.rotation import Rotation, TextRotation
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings
from vlm_stage.verify.pictures import drawn_pictures
from vlm_stage.verify.request import Request
from vlm_stage.verify.verify import verify

PICTURES = drawn_pictures()


@pytest.fixture(autouse=True)
def _without_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where it is not installed, wherever these tests run."""
    monkeypatch.setattr("vlm_stage.verify.verify.is_installed", lambda: False)


def run(folder: Path, checkpoint: Path | None = None, device: str = "CPU", **settings: Any) -> Verification:
    chosen = PaddleOcrVlSettings(**settings)
    return verify(Request(folder, device, chosen, PICTURES[::2], 12, checkpoint), unheard)


def failed(verification: Verification) -> set[str]:
    return {check.name for check in verification.checks if check.passed is False}


def by_name(verification: Verification) -> Mapping[str, VerifyCheck]:
    return {check.name: check for check in verification.checks}


def test_a_model_converted_without_loss_passes_every_check(exact_model: Path) -> None:
    found = run(exact_model)
    assert found.passed
    assert (found.model, found.device) == ("toy-fp32", "CPU")
    assert "paged attention" in found.facts["reference"]
    checks = by_name(found)
    assert checks["parameters"].found == checks["parameters"].limit == "438,848"
    assert checks["greedy agreement"].found.startswith("24 of 24 steps")
    assert checks["logits, 8 texts side by side against alone"].passed
    assert checks["logits, draft steps against single ones"].passed
    assert "largest activation of the decoder" in checks
    speeds = {name: checks[name] for name in ("vision", "decoder, one text", "decoder, 8 side by side")}
    assert all(check.passed is None and not check.limit for check in speeds.values())
    assert all(float(check.found.split()[0].replace(",", "")) > 0 for check in speeds.values())


def test_the_weights_are_compared_with_the_checkpoint_that_lies_beside(int8_model: Path) -> None:
    found = run(int8_model)
    assert found.passed
    check = by_name(found)["weights of decoder.xml in int8"]
    assert 0.3 < float(check.found.split("%")[0]) < 2
    assert found.facts["checkpoint"].startswith(str(int8_model.parent / "paddleocr-vl"))


def test_weights_of_another_checkpoint_are_found(model: Path, checkpoint: Path, tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "other", seed=1)
    other = converted(tmp_path / "other", tmp_path / "other-fp32")
    replace_file(model, "decoder.bin", (other / "decoder.bin").read_bytes())
    found = run(model, checkpoint)
    assert failed(found) == {"weights of decoder.xml in fp32"}
    assert "transformers is not installed" in found.facts["checkpoint"]
    with pytest.raises(ModelMissing, match=r"is not the checkpoint that .* was converted from: \S+ is not"):
        run(model, tmp_path / "other")


def test_a_damaged_file_is_found_and_nothing_is_run(model: Path) -> None:
    content = bytearray((model / "decoder.bin").read_bytes())
    content[1000] ^= 1
    (model / "decoder.bin").write_bytes(content)
    found = run(model)
    assert failed(found) == {"files"}
    assert by_name(found)["files"].found == "decoder.bin damaged"
    assert "logits" not in by_name(found)


def test_a_network_without_one_of_its_tensors_has_too_few_parameters(model: Path) -> None:
    network = (model / "decoder.xml").read_text().replace('name="lm_head', 'name="head')
    replace_file(model, "decoder.xml", network.encode())
    found = run(model)
    assert failed(found) == {"parameters"}
    assert by_name(found)["parameters"].found == f"{438_848 - 512 * 64:,}"


def test_a_device_that_rounds_positions_is_found(exact_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exactly = TextRotation.at

    def rounded(self: TextRotation, positions: "np.ndarray[Any, np.dtype[np.int64]]") -> Rotation:
        return exactly(self, positions // 8 * 8)

    monkeypatch.setattr(TextRotation, "at", rounded)
    assert {"logits", "greedy agreement"} <= failed(run(exact_model))


def test_a_device_whose_texts_see_each_other_is_found(
    exact_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "vlm_stage.verify.stepper.Stepper._table",
        lambda self, part: np.arange(-(-part.end // self._decoder.block_size), dtype=np.int32),
    )
    assert failed(run(exact_model)) == {"logits, 8 texts side by side against alone"}


def test_compressed_keys_are_allowed_their_noise_and_no_more(exact_model: Path) -> None:
    found = run(exact_model, kv_precision="u8")
    check = by_name(found)["logits"]
    assert found.passed
    assert "KV cache u8" in found.facts["computed"]
    assert 0.1 < float(check.found.split("%")[0]) < float(check.limit.rstrip("%"))


def test_numbers_that_float16_does_not_hold_are_found(tmp_path: Path) -> None:
    large = write_large(tmp_path / "large")
    found = run(large)
    check = by_name(found)["largest activation of the vision encoder"]
    assert check.passed
    assert "more than float16 holds, 65,504" in check.found
    assert "fc2" in check.found
    with_float16 = run(large, vision_precision="f16")
    assert "largest activation of the vision encoder" in failed(with_float16)


def write_large(folder: Path) -> Path:
    """What the vision encoder's last layer adds is 1e5 times as large; the norm after it makes it small
    again."""
    pieces = random_weights(TOY, "published", 0)

    def larger(name: str, shape: tuple[int, ...]) -> Any:
        scale = np.float32(1e5 if name.endswith("layers.1.mlp.fc2.weight") else 1)
        return (piece * scale for piece in pieces(name, shape))

    write_checkpoint(folder, dtype="f32")
    write_weights(folder, stored_tensors(TOY, "published"), larger, "f32")
    return converted(folder, folder.parent / "large-fp32")


def test_a_device_that_is_not_there_is_named_with_those_that_are(exact_model: Path) -> None:
    with pytest.raises(DeviceMissing, match=r"OpenVINO sees no device GPU\.7; it sees: CPU"):
        run(exact_model, device="GPU.7")


def test_a_folder_that_is_no_converted_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="is not a converted model"):
        run(tmp_path)


def test_what_is_found_survives_the_way_to_the_command() -> None:
    found = Verification("m", "GPU", {"a": "b"}, (VerifyCheck("x", "1", "2", False), VerifyCheck("y", "3")))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Verification) == found
    assert not found.passed
