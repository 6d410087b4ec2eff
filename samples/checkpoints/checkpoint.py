"""A whole checkpoint folder with random weights."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from samples.checkpoints.safetensors import Dtype, Pieces, Shape, write_safetensors
from samples.checkpoints.settings import PREPROCESSOR, config_json, generation_json
from samples.checkpoints.token_ids import TOY_IDS
from samples.checkpoints.tokenizer import write_tokenizer
from samples.checkpoints.weights import Layout, random_weights, stored_tensors
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig, TextConfig, VisionConfig

Size = Literal["toy", "full"]

FULL = ModelConfig(tie_word_embeddings=False)
"""The published sizes: 905,601,648 parameters in use."""

TOY = ModelConfig(
    VisionConfig(
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
    ),
    TextConfig(
        vocab_size=512,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=64,
        mrope_section=(8, 12, 12),
    ),
    image_token_id=TOY_IDS.image,
    tie_word_embeddings=False,
)
"""The same architecture, small; heads and sections are half as large as the published ones."""

SIZES: Mapping[Size, ModelConfig] = {"toy": TOY, "full": FULL}


def write_checkpoint(
    folder: Path,
    size: Size = "toy",
    *,
    layout: Layout = "published",
    seed: int = 0,
    dtype: Dtype = "bf16",
    config: ModelConfig | None = None,
    shards: int = 1,
) -> ModelConfig:
    """Writes a checkpoint whose weights depend on the seed and the sizes alone; of full size 1.9 GB.

    Args:
        folder: made where it is not there.
        size: which of `SIZES`, unless `config` says others.
        layout: the names and the shape of `config.json`.
        shards: how many files the weights are spread over.

    Returns:
        The sizes.
    """
    config = config or SIZES[size]
    write_settings(folder, config, layout, dtype)
    write_tokenizer(folder, config.text.vocab_size)
    pieces = random_weights(config, layout, seed)
    write_weights(folder, stored_tensors(config, layout), pieces, dtype, shards)
    return config


def write_settings(folder: Path, config: ModelConfig, layout: Layout, dtype: Dtype) -> None:
    """Writes all but the weights and the tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_json(folder / "config.json", config_json(config, layout, dtype))
    _write_json(folder / "generation_config.json", generation_json(config))
    _write_json(folder / "preprocessor_config.json", PREPROCESSOR)


def write_weights(
    folder: Path, shapes: Mapping[str, Shape], pieces: Pieces, dtype: Dtype, shards: int = 1
) -> None:
    """Writes `model.safetensors`, or as many shards and their index."""
    if shards == 1:
        write_safetensors(folder / "model.safetensors", shapes, pieces, dtype)
        return
    names = list(shapes)
    files: dict[str, str] = {}
    for index in range(shards):
        file = f"model-{index + 1:05}-of-{shards:05}.safetensors"
        part = names[index::shards]
        write_safetensors(folder / file, {name: shapes[name] for name in part}, pieces, dtype)
        files |= dict.fromkeys(part, file)
    _write_json(folder / "model.safetensors.index.json", {"metadata": {}, "weight_map": files})


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
