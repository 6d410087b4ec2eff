"""A checkpoint's `config.json`, in both its forms, as the sizes of the networks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from arcscribe.errors import InvalidOption, ModelMissing
from vlm_stage.convert.small_files import is_there, read_json
from vlm_stage.convert.tensors import HEAD
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig, TextConfig, VisionConfig

MODEL_TYPE = "paddleocr_vl"

MOST_LAYERS = 1_000
"""Fifty times what the published models have; the names in a billion layers would fill the memory."""

_Fields = dict[str, Any]
_Config = TypeVar("_Config", TextConfig, VisionConfig)


def read_config(folder: Path, tensors: Mapping[str, object]) -> ModelConfig:
    """The sizes of the checkpoint in a folder, which holds tensors of these names.

    Whether the head shares the embeddings' weights is seen from what is stored: transformers' default says
    that it does, and the published files hold a head of its own.

    Raises:
        ModelMissing: `config.json` is not there, or damaged.
        InvalidOption: it is another model's, or a form of this one that the networks are not built for.
    """
    path = folder / "config.json"
    if not is_there(path):
        raise ModelMissing(f"{folder} has no {path.name}: is it a PaddleOCR-VL checkpoint?")
    fields = read_json(path, _Fields)
    found = fields.get("model_type")
    if found != MODEL_TYPE:
        raise InvalidOption(
            f"{path} describes a model of type {found!r}, not a PaddleOCR-VL ({MODEL_TYPE!r})",
            field="checkpoint",
        )
    try:
        config = parse_config(fields, stored_head=HEAD in tensors)
    except (ValueError, TypeError) as error:
        raise InvalidOption(f"{path} cannot be followed: {error}", field="checkpoint") from error
    return msgspec.structs.replace(config, eos_token_id=_eos(folder, fields, config.text.vocab_size))


def parse_config(fields: _Fields, *, stored_head: bool) -> ModelConfig:
    """The sizes in a `config.json`: flat as published, or nested as transformers 5.24 saves it.

    Raises:
        ValueError: a value is of the wrong type, or sizes do not go together.
    """
    text = _object(fields, "text_config") or fields
    vision = _object(fields, "vision_config")
    tied = not stored_head and bool(fields.get("tie_word_embeddings", True))
    image = msgspec.convert(fields.get("image_token_id", ModelConfig().image_token_id), int)
    config = ModelConfig(_vision(vision), _text(text), image, tie_word_embeddings=tied)
    _check(config)
    return config


def _text(fields: _Fields) -> TextConfig:
    _only("hidden_act", "silu", fields)
    rope = _object(fields, "rope_parameters") or _object(fields, "rope_scaling")
    _only("rope_type", "default", {"rope_type": rope.get("rope_type", rope.get("type", "default"))})
    if "mrope_section" not in rope:
        raise ValueError("it has no mrope_section")
    said = {**fields, "mrope_section": rope["mrope_section"], **_theta(fields, rope)}
    text = _converted({name: value for name, value in said.items() if value is not None}, TextConfig)
    heads = max(text.num_attention_heads, 1)
    computed = {"num_key_value_heads": heads, "head_dim": text.hidden_size // heads}
    left_open = {name: value for name, value in computed.items() if fields.get(name, 0) is None}
    return msgspec.structs.replace(text, **left_open)


def _vision(fields: _Fields) -> VisionConfig:
    _only("hidden_act", "gelu_pytorch_tanh", fields)
    _only("num_channels", 3, fields)
    rope = _object(fields, "rope_parameters")
    _only("rope_type", "axial", rope)
    return _converted({**fields, **_theta(fields, rope)}, VisionConfig)


def _object(fields: _Fields, name: str) -> _Fields:
    return msgspec.convert(fields.get(name) or {}, _Fields)


def _theta(fields: _Fields, rope: _Fields) -> _Fields:
    theta = rope.get("rope_theta", fields.get("rope_theta"))
    return {} if theta is None else {"rope_theta": theta}


def _converted(fields: _Fields, kind: type[_Config]) -> _Config:
    known = {name: fields[name] for name in kind.__struct_fields__ if name in fields}
    return msgspec.convert(known, kind)


def _only(name: str, supported: object, fields: _Fields) -> None:
    if fields.get(name, supported) != supported:
        raise ValueError(f"{name} is {fields[name]!r}, and the networks are built for {supported!r} only")


def _check(config: ModelConfig) -> None:
    """Raises ValueError where sizes do not go together."""
    vision, text = config.vision, config.text
    for part in (vision, text):
        for name, value in msgspec.structs.asdict(part).items():
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value <= 0:
                raise ValueError(f"{name} is {value}")
        if part.num_hidden_layers > MOST_LAYERS:
            raise ValueError(f"num_hidden_layers is {part.num_hidden_layers}, over {MOST_LAYERS}")
    _divides(vision.num_attention_heads, vision.hidden_size, "the vision encoder's heads, its width")
    _divides(4, vision.head_dim, "four parts of a rotation, a vision head's width")
    _divides(text.num_key_value_heads, text.num_attention_heads, "KV heads, query heads")
    if 2 * sum(text.mrope_section) != text.head_dim:
        raise ValueError(f"mrope_section {text.mrope_section} is not half of head_dim, {text.head_dim}")
    if not 0 <= config.image_token_id < text.vocab_size:
        raise ValueError(f"image_token_id {config.image_token_id} is outside the vocabulary")


def _divides(part: int, whole: int, what: str) -> None:
    if whole % part:
        raise ValueError(f"{what}: {part} does not divide {whole}")


def _eos(folder: Path, fields: _Fields, vocab_size: int) -> int:
    """The token that ends a text: `generation_config.json` says it, where it is there, as in transformers."""
    path = folder / "generation_config.json"
    generation = read_json(path, _Fields) if is_there(path) else {}
    text = _object(fields, "text_config") or fields
    found = generation.get("eos_token_id", text.get("eos_token_id"))
    if isinstance(found, list) and len(found) == 1:
        found = found[0]
    if found is None:
        return ModelConfig().eos_token_id
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found < vocab_size:
        raise InvalidOption(
            f"{folder}: eos_token_id is {found!r}, not one token of {vocab_size:,}", field="checkpoint"
        )
    return found
