"""The embeddings of text tokens."""

import openvino as ov
from openvino import opset13 as ops

from vlm_stage.engines.paddleocr_vl.graphs.decoder import PREFIX
from vlm_stage.engines.paddleocr_vl.graphs.layers import Layers, Weights, index, network_input, network_output
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig


def build_embeddings(_config: ModelConfig, weights: Weights) -> ov.Model:
    """`input_ids` i64 [B, S] to `inputs_embeds` f32 [B, S, hidden]."""
    ids = network_input("input_ids", "i64", [-1, -1])
    table = Layers(weights).constant(f"{PREFIX}.embed_tokens.weight")
    found = ops.gather(table, ids, index(0))
    return ov.Model([network_output(found, "inputs_embeds")], [ids], "paddleocr_vl_embeddings")
