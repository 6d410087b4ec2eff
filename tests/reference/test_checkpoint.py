"""Checkpoints that samples/ writes load in transformers as the published ones do, number for number."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from transformers import PaddleOCRVLForConditionalGeneration

from samples.checkpoints.checkpoint import TOY, write_checkpoint
from samples.checkpoints.safetensors import Dtype
from samples.checkpoints.weights import Layout
from vlm_stage.convert.checkpoint import open_checkpoint
from vlm_stage.convert.read_config import read_config
from vlm_stage.convert.tensors import expected_tensors
from vlm_stage.convert.weights import open_weights


def load(folder: Path) -> Any:
    """The reference's model, in float32; every tensor that it wants was there, and no other."""
    model, report = PaddleOCRVLForConditionalGeneration.from_pretrained(
        folder, dtype=torch.float32, output_loading_info=True
    )
    assert {kind: found for kind, found in report.items() if found} == {}
    return model


@pytest.mark.parametrize("layout", ["published", "transformers"])
@pytest.mark.parametrize("dtype", ["bf16", "f16", "f32"])
def test_every_tensor_is_equal_and_none_is_left_over(layout: Layout, dtype: Dtype, tmp_path: Path) -> None:
    write_checkpoint(tmp_path, layout=layout, dtype=dtype, shards=2 if dtype == "f32" else 1)
    weights, state = open_weights(tmp_path), load(tmp_path).state_dict()
    assert state.keys() == expected_tensors(TOY).keys()
    for name, tensor in state.items():
        np.testing.assert_array_equal(weights(name), tensor.numpy(), err_msg=name)


def test_a_decoder_with_biases_has_the_same_tensors(tmp_path: Path) -> None:
    config = replace(TOY, text=replace(TOY.text, use_bias=True))
    write_checkpoint(tmp_path, config=config)
    state = load(tmp_path).state_dict()
    assert {name: tuple(tensor.shape) for name, tensor in state.items()} == expected_tensors(config)


@pytest.mark.parametrize("layout", ["published", "transformers"])
def test_a_shared_head_is_shared_in_both(layout: Layout, tmp_path: Path) -> None:
    write_checkpoint(tmp_path, layout=layout, config=replace(TOY, tie_word_embeddings=True))
    model = load(tmp_path)
    assert model.lm_head.weight is model.model.language_model.embed_tokens.weight
    assert open_checkpoint(tmp_path, "1.6").config.tie_word_embeddings


def test_what_transformers_saves_is_read(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "first")
    model = load(tmp_path / "first")
    model.save_pretrained(tmp_path / "again", max_shard_size="200KB")
    weights = open_weights(tmp_path / "again")
    assert len(weights.files) > 1
    assert weights.tensors.keys() == expected_tensors(TOY).keys()
    for name, tensor in model.state_dict().items():
        np.testing.assert_array_equal(weights(name), tensor.numpy(), err_msg=name)
    assert read_config(tmp_path / "again", weights.tensors) == TOY


def test_greedy_texts_vary_and_depend_on_the_picture(tmp_path: Path) -> None:
    write_checkpoint(tmp_path)
    model = load(tmp_path).eval()
    texts = [_greedy(model, seed) for seed in range(3)]
    assert all(len(set(text)) > len(text) / 3 for text in texts)
    assert len({tuple(text) for text in texts}) == 3


def _greedy(model: Any, seed: int, rows: int = 8, columns: int = 16) -> list[int]:
    image = TOY.image_token_id
    ids = torch.tensor([[1, 10, 11] + [image] * (rows * columns // 4) + [20, 21]])
    pixels = torch.randn(rows * columns, 3, 14, 14, generator=torch.Generator().manual_seed(seed))
    with torch.no_grad():
        out = model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            pixel_values=pixels / 2,
            image_grid_thw=torch.tensor([[1, rows, columns]]),
            mm_token_type_ids=(ids == image).long(),
            max_new_tokens=64,
            do_sample=False,
            eos_token_id=-1,
        )
    return list(out[0, ids.shape[1] :].tolist())
