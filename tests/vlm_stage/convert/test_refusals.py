"""What cannot be converted is refused in one line, before any work, and leaves nothing."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from arcscribe.errors import InvalidOption, ModelMissing
from samples.checkpoints.checkpoint import TOY, write_settings
from samples.checkpoints.safetensors import Shape, write_safetensors
from samples.checkpoints.token_ids import TOY_IDS
from samples.checkpoints.tokenizer import build_tokenizer
from samples.checkpoints.weights import random_weights, stored_tensors
from tests.vlm_stage.convert.conversions import FP16, FP32, INT8, converted
from vlm_stage.engines.paddleocr_vl.manifest import read_manifest

NORM = "model.norm.weight"


def spoil(folder: Path, change: dict[str, float | Shape | None]) -> None:
    """Rewrites the weights with some tensors filled with a number, of another shape, or left out."""
    shapes = stored_tensors(TOY, "published")
    shapes |= {name: value for name, value in change.items() if isinstance(value, tuple)}
    shapes = {name: shape for name, shape in shapes.items() if change.get(name, ()) is not None}
    random = random_weights(TOY, "published", 0)

    def pieces(name: str, shape: Shape) -> Any:
        value = change.get(name)
        filled = isinstance(value, float)
        return [np.full(int(np.prod(shape)), value, np.float32)] if filled else random(name, shape)

    write_safetensors(folder / "model.safetensors", shapes, pieces, "f32")


REFUSED: dict[str, tuple[dict[str, float | Shape | None], str]] = {
    "missing": (
        {NORM: None, "lm_head.weight": None},
        "lacks 2 of 64 tensors, first model.language_model.norm",
    ),
    "shape": ({NORM: (63,)}, r"norm.weight has shape \(63,\), and config.json calls for \(64,\)"),
    "strange": ({"model.extra": (2,)}, "holds 1 tensors of another model, first model.language_model.extra"),
    "nan": (
        {NORM: float("nan")},
        "is damaged: model.language_model.norm.weight holds infinite values or NaN",
    ),
    "infinite": ({NORM: float("-inf")}, "holds infinite values or NaN"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_checkpoint_that_is_not_whole_is_refused_and_leaves_nothing(
    case: str, checkpoint: Path, tmp_path: Path
) -> None:
    change, words = REFUSED[case]
    spoil(checkpoint, change)
    before = set(tmp_path.iterdir())
    with pytest.raises(ModelMissing, match=words):
        converted(checkpoint, tmp_path / "out")
    assert set(tmp_path.iterdir()) == before


def test_float16_is_refused_for_what_it_cannot_hold(checkpoint: Path, tmp_path: Path) -> None:
    spoil(checkpoint, {NORM: 70_000.0})
    with pytest.raises(ModelMissing, match="holds 70,000, too large for float16; use fp32 or int8"):
        converted(checkpoint, tmp_path / "out", FP16)
    converted(checkpoint, tmp_path / "out", FP32)


def test_a_tokenizer_of_another_model_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    write_settings(checkpoint, replace(TOY, image_token_id=6), "published", "bf16")
    with pytest.raises(
        InvalidOption, match=r"as 5, and config.json as 6: these files are of different models"
    ):
        converted(checkpoint, tmp_path / "out")
    build_tokenizer(TOY.text.vocab_size + 4, TOY_IDS).save(str(checkpoint / "tokenizer.json"))
    write_settings(checkpoint, TOY, "published", "bf16")
    with pytest.raises(InvalidOption, match=rf"up to {TOY.text.vocab_size + 3}, and config.json"):
        converted(checkpoint, tmp_path / "out")
    (checkpoint / "tokenizer.json").unlink()
    with pytest.raises(ModelMissing, match=r"tokenizer.json is not there"):
        converted(checkpoint, tmp_path / "out")


@pytest.mark.parametrize("key", ["patch_size", "merge_size"])
def test_images_cut_as_the_encoder_does_not_take_them_are_refused(
    key: str, checkpoint: Path, tmp_path: Path
) -> None:
    path = checkpoint / "preprocessor_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: 7}))
    with pytest.raises(InvalidOption, match=r"and config\.json has 14 and 2: these files are of different"):
        converted(checkpoint, tmp_path / "out")


def test_another_models_folder_is_told_as_such_whatever_weights_it_has(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(InvalidOption, match="type 'bert', not a PaddleOCR-VL"):
        converted(tmp_path, tmp_path / "out")
    with pytest.raises(InvalidOption, match="there is no folder"):
        converted(tmp_path / "nowhere", tmp_path / "out")


def test_a_toy_is_not_taken_for_a_published_model(toy: Path, tmp_path: Path) -> None:
    words = r"paddleocr-vl-1.6 has 905.6 M parameters, and this checkpoint 0.4 M"
    with pytest.raises(InvalidOption, match=words):
        converted(toy, tmp_path / "out", name="paddleocr-vl-1.6")


def test_a_model_is_replaced_by_force_only(fp32: Path, toy: Path, tmp_path: Path) -> None:
    out = converted(toy, tmp_path / "out")
    with pytest.raises(InvalidOption, match="is there; --force converts again"):
        converted(toy, out, FP16)
    converted(toy, out, FP16, force=True)
    assert read_manifest(out).precisions.decoder is FP16


def test_integers_need_nncf_and_say_how_to_get_it(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ModelMissing, match=r"needs nncf; run in the clone: pip install '\.\[convert\]'"):
        converted(toy, tmp_path / "out", INT8)
    converted(toy, tmp_path / "out", FP16)
