"""One file or several, and what is wrong with them."""

import json
from pathlib import Path

import numpy as np
import pytest

from arcscribe.errors import ModelMissing
from samples.checkpoints.checkpoint import TOY, write_checkpoint
from samples.checkpoints.safetensors import write_safetensors
from vlm_stage.convert.tensors import expected_tensors
from vlm_stage.convert.weights import INDEX, SINGLE, open_weights


def test_layouts_and_shards_hold_the_same_numbers(toy: Path, tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "sharded", layout="transformers", shards=3)
    single, sharded = open_weights(toy), open_weights(tmp_path / "sharded")
    assert (len(single.files), len(sharded.files)) == (1, 3)
    for name, shape in expected_tensors(TOY).items():
        assert single(name).shape == shape
        np.testing.assert_array_equal(single(name), sharded(name))


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, shards=3)
    (tmp_path / "model-00002-of-00003.safetensors").unlink()
    with pytest.raises(ModelMissing, match=r"2 of 3 files: no model-00002-of-00003.safetensors"):
        open_weights(tmp_path)


def test_an_index_does_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": {"a": "../secret.safetensors"}}))
    with pytest.raises(ModelMissing, match="names a file outside the checkpoint"):
        open_weights(tmp_path)


@pytest.mark.parametrize("content", ["{", "[]", '{"weight_map": 3}'])
def test_a_damaged_index_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / INDEX).write_text(content)
    with pytest.raises(ModelMissing, match=r"index.json is damaged"):
        open_weights(tmp_path)


def test_a_tensor_under_both_its_names_is_refused(tmp_path: Path) -> None:
    shapes: dict[str, tuple[int, ...]] = {"model.norm.weight": (1,), "model.language_model.norm.weight": (1,)}
    write_safetensors(tmp_path / SINGLE, shapes, lambda _, __: [np.zeros(1, np.float32)], "f32")
    with pytest.raises(ModelMissing, match=r"holds model.language_model.norm.weight twice"):
        open_weights(tmp_path)


def test_weights_of_another_kind_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"has no model.safetensors$"):
        open_weights(tmp_path)
    (tmp_path / "pytorch_model.bin").touch()
    with pytest.raises(ModelMissing, match=r"no model.safetensors \(it has pytorch_model.bin, which"):
        open_weights(tmp_path)
