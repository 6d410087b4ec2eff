"""Our networks as openvino-genai wants a model to look: a folder that says it is a `qwen2_vl`.

That one has the same inputs, M-RoPE included. Only text is sent, so its networks for pictures are stubs.
"""

import json
from pathlib import Path
from typing import Any

import openvino as ov
from openvino import opset13 as ops
from openvino_tokenizers import convert_tokenizer
from tokenizers import AddedToken
from transformers import PreTrainedTokenizerFast

from bench.vlm_peers.model import INT8
from samples.checkpoints.token_ids import TOY_IDS
from samples.checkpoints.tokenizer import build_tokenizer
from vlm_stage.engines.paddleocr_vl.manifest import DECODER, EMBEDDINGS

VOCABULARY = 600
"""Of a tokenizer for the prompts, which are digits; what is generated is not turned into text."""
_PICTURE_TOKENS = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
_MERGER = {"hidden_states": [-1, 1176], "attention_mask": [1, -1, -1], "rotary_pos_emb": [-1, 40]}
_PREPROCESSOR = {"patch_size": 14, "merge_size": 2, "temporal_patch_size": 2}


def make_genai_model(model: Path) -> Path:
    """The folder, inside that of the model, which keeps it for the next time."""
    converted, folder = model / INT8, model / "genai"
    if not (folder / "openvino_tokenizer.xml").exists():
        folder.mkdir(exist_ok=True)
        decoder = ov.Core().read_model(converted / DECODER)
        width = decoder.input("inputs_embeds").get_partial_shape()[2].get_length()
        _write(folder, "config", {"model_type": "qwen2_vl", "hidden_size": width})
        _write(folder, "preprocessor_config", _PREPROCESSOR)
        _save(_with_all_logits(decoder), folder / "openvino_language_model.xml")
        _save(ov.Core().read_model(converted / EMBEDDINGS), folder / "openvino_text_embeddings_model.xml")
        patches = {"hidden_states": _MERGER["hidden_states"]}
        _save(_stub(patches), folder / "openvino_vision_embeddings_model.xml")
        _save(_stub(_MERGER), folder / "openvino_vision_embeddings_merger_model.xml")
        _save_tokenizer(folder)
    return folder


def _with_all_logits(decoder: ov.Model) -> ov.Model:
    """Without the choice of rows, which openvino-genai makes by a pass of its own: logits [B, S, V]."""
    nodes = {node.get_friendly_name(): node for node in decoder.get_ops()}
    hidden = nodes["wanted_rows"].input_value(0).get_node().input_value(0)
    nodes["lm_head"].input(0).replace_source_output(hidden)
    decoder.remove_parameter(decoder.input("logits_idx").get_node())
    decoder.validate_nodes_and_infer_types()
    return decoder


def _stub(inputs: dict[str, list[int]]) -> ov.Model:
    """A network that gives its first input back."""
    parameters = [ops.parameter(ov.PartialShape(sizes), ov.Type.f32) for sizes in inputs.values()]
    for name, parameter in zip(inputs, parameters, strict=True):
        parameter.output(0).set_names({name})
    return ov.Model([ops.result(parameters[0])], parameters, "stub")


def _save_tokenizer(folder: Path) -> None:
    tokenizer = build_tokenizer(VOCABULARY, TOY_IDS)
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in _PICTURE_TOKENS])
    named = {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<unk>"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **named)
    encoder, decoder = convert_tokenizer(fast, with_detokenizer=True)
    _save(decoder, folder / "openvino_detokenizer.xml")
    _save(encoder, folder / "openvino_tokenizer.xml")


def _save(network: ov.Model, path: Path) -> None:
    ov.save_model(network, path, compress_to_fp16=False)


def _write(folder: Path, name: str, content: dict[str, Any]) -> None:
    (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
