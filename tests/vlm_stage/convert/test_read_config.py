"""`config.json` in both its forms, and what is refused."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arcscribe.errors import InvalidOption, ModelMissing
from samples.checkpoints.checkpoint import FULL, TOY, write_settings
from samples.checkpoints.settings import config_json
from samples.checkpoints.weights import Layout
from vlm_stage.convert.read_config import parse_config, read_config
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig

OTHER = replace(
    TOY,
    vision=replace(TOY.vision, layer_norm_eps=1e-5, image_size=224),
    text=replace(TOY.text, rms_norm_eps=1e-6, rope_theta=77.0, mrope_section=(10, 10, 12), use_bias=True),
    image_token_id=9,
    eos_token_id=4,
)
"""Differs from the defaults in all that a file may say."""


@pytest.mark.parametrize("layout", ["published", "transformers"])
@pytest.mark.parametrize("config", [TOY, FULL, OTHER], ids=["toy", "full", "other"])
def test_both_forms_give_the_sizes(layout: Layout, config: ModelConfig, tmp_path: Path) -> None:
    write_settings(tmp_path, config, layout, "bf16")
    assert read_config(tmp_path, {"lm_head.weight": 0}) == config


@pytest.mark.parametrize(
    ("stored", "said", "tied"),
    [
        (True, True, False),
        (True, False, False),
        (False, True, True),
        (False, False, False),
        (False, None, True),
    ],
)
def test_a_stored_head_is_used_whatever_the_file_says(stored: bool, said: bool | None, tied: bool) -> None:
    fields = config_json(TOY, "published", "bf16") | {"tie_word_embeddings": said}
    if said is None:
        del fields["tie_word_embeddings"]
    assert parse_config(fields, stored_head=stored).tie_word_embeddings is tied


def test_sizes_left_open_are_computed_as_transformers_does() -> None:
    nothing = {"num_key_value_heads": None, "head_dim": None, "use_bias": None}
    fields = config_json(TOY, "published", "bf16") | nothing
    fields["rope_scaling"]["mrope_section"] = [2, 3, 3]
    text = parse_config(fields, stored_head=True).text
    assert (text.num_key_value_heads, text.head_dim, text.use_bias) == (4, 16, False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hidden_size": "wide"}, "Expected `int`"),
        ({"num_hidden_layers": 0}, "num_hidden_layers is 0"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers is 1000000000, over 1000"),
        ({"vision_config": {"num_hidden_layers": 10**9}}, "num_hidden_layers is 1000000000, over 1000"),
        ({"num_key_value_heads": 3}, "KV heads, query heads: 3 does not divide 4"),
        ({"num_attention_heads": 0, "head_dim": None}, "num_attention_heads is 0"),
        ({"hidden_act": "gelu"}, "hidden_act is 'gelu', and the networks are built for 'silu' only"),
        ({"rope_scaling": {"rope_type": "yarn", "mrope_section": [8, 12, 12]}}, "rope_type is 'yarn'"),
        ({"rope_scaling": {"rope_type": "default"}}, "it has no mrope_section"),
        ({"rope_scaling": None}, "it has no mrope_section"),
        ({"rope_scaling": "default"}, "cannot be followed"),
        ({"rope_scaling": {"mrope_section": [8, 12]}}, "of length 3"),
        ({"rope_scaling": {"mrope_section": [8, 12, 13]}}, "is not half of head_dim, 64"),
        ({"image_token_id": 512}, "image_token_id 512 is outside the vocabulary"),
        ({"image_token_id": "<image>"}, "cannot be followed"),
        ({"vision_config": {"num_attention_heads": 7}}, "7 does not divide 1152"),
        ({"vision_config": {"hidden_size": 96, "num_attention_heads": 16}}, "4 does not divide 6"),
        ({"vision_config": {"num_channels": 1}}, "num_channels is 1"),
        ({"vision_config": "none"}, "cannot be followed"),
    ],
)
def test_sizes_that_cannot_be_are_refused(change: dict[str, Any], words: str, tmp_path: Path) -> None:
    fields = config_json(TOY, "published", "bf16") | change
    (tmp_path / "config.json").write_text(json.dumps(fields))
    with pytest.raises(InvalidOption, match=words) as caught:
        read_config(tmp_path, {})
    assert str(tmp_path / "config.json") in caught.value.message


def test_another_models_folder_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "qwen2_vl"}')
    with pytest.raises(InvalidOption, match="a model of type 'qwen2_vl', not a PaddleOCR-VL"):
        read_config(tmp_path, {})


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "has no config.json"), (b"{", "damaged"), (b"\xff", "damaged"), (b"[]", "damaged")],
)
def test_a_file_that_cannot_be_read_is_refused(content: bytes | None, words: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(ModelMissing, match=words):
        read_config(tmp_path, {})


@pytest.mark.parametrize(
    ("generation", "config", "token"),
    [({"eos_token_id": 7}, 8, 7), ({"eos_token_id": [7]}, 8, 7), ({}, 8, 8), (None, 8, 8), (None, None, 2)],
)
def test_the_end_of_a_text_is_looked_for_where_transformers_does(
    generation: dict[str, Any] | None, config: int | None, token: int, tmp_path: Path
) -> None:
    fields = config_json(TOY, "published", "bf16") | {"eos_token_id": config}
    (tmp_path / "config.json").write_text(json.dumps(fields))
    if generation is not None:
        (tmp_path / "generation_config.json").write_text(json.dumps(generation))
    assert read_config(tmp_path, {}).eos_token_id == token


@pytest.mark.parametrize("token", [[1, 2], -1, 512, 10**20, True, "</s>"])
def test_what_is_not_one_token_of_the_vocabulary_ends_no_text(token: object, tmp_path: Path) -> None:
    write_settings(tmp_path, TOY, "published", "bf16")
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": token}))
    with pytest.raises(
        InvalidOption, match=f"eos_token_id is {re.escape(repr(token))}, not one token of 512"
    ):
        read_config(tmp_path, {})
