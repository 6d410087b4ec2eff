"""The decoder: ERNIE-4.5's layers with M-RoPE, and a KV cache as OpenVINO's state.

The arithmetic is that of transformers 5.24 (`PaddleOCRTextModel`). Its form is the one that OpenVINO's passes
know: they fuse RMSNorm and RoPE, and turn attention over the state into paged attention (`graphs/paged.py`).
"""

import openvino as ov
from openvino import opset13 as ops
from openvino.op.util import Variable, VariableInfo

from vlm_stage.engines.paddleocr_vl.graphs.layers import (
    LAST,
    Layers,
    Node,
    Weights,
    index,
    indices,
    network_input,
    network_output,
    rotated,
    scalar,
    size_of,
)
from vlm_stage.engines.paddleocr_vl.inputs.rotation import inverse_frequencies
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig, TextConfig

PREFIX = "model.language_model"
COS, SIN = "cos", "sin"
"""The nodes' names, by which `graphs/paged.py` finds the rotation."""


def build_decoder(config: ModelConfig, weights: Weights) -> ov.Model:
    """From embeddings to logits, stateful, in float32.

    Inputs: `inputs_embeds` f32 [B, S, hidden], `position_ids` i64 [3, B, S] (time, row, column),
    `attention_mask` i64 [B, past + S], `beam_idx` i32 [B], and `logits_idx` i64 [R]: which of the B * S
    positions' logits are wanted. Output: `logits` f32 [R, vocabulary].
    """
    text = config.text
    layers = Layers(weights)
    embeds = network_input("inputs_embeds", "f32", [-1, -1, text.hidden_size])
    positions = network_input("position_ids", "i64", [3, -1, -1])
    mask = network_input("attention_mask", "i64", [-1, -1])
    beams = network_input("beam_idx", "i32", [-1])
    wanted = network_input("logits_idx", "i64", [-1])
    cos, sin = _rotation(positions, text)
    visible = _causal_mask(mask, embeds)
    hidden, sinks = embeds, []
    for number in range(text.num_hidden_layers):
        block = _Block(layers, text, number, beams)
        hidden = block.apply(hidden, cos, sin, visible)
        sinks += block.sinks
    hidden = layers.rms_norm(hidden, f"{PREFIX}.norm", text.rms_norm_eps)
    flat = ops.reshape(hidden, indices(-1, text.hidden_size), False)
    rows = ops.gather(flat, wanted, index(0), name="wanted_rows")
    logits = ops.matmul(rows, layers.constant(head_name(config)), False, True, name="lm_head")
    inputs = [embeds, positions, mask, beams, wanted]
    return ov.Model([network_output(logits, "logits")], sinks, inputs, "paddleocr_vl_decoder")


def head_name(config: ModelConfig) -> str:
    """The name of the weights of the head."""
    return f"{PREFIX}.embed_tokens.weight" if config.tie_word_embeddings else "lm_head.weight"


def _rotation(positions: Node, text: TextConfig) -> tuple[Node, Node]:
    """Cosine and sine [B, 1, S, head_dim]: sections of the frequencies turn with time, row and column."""
    frequencies = ops.constant(inverse_frequencies(text.rope_theta, text.head_dim).reshape(1, 1, 1, -1))
    along = ops.unsqueeze(ops.convert(positions, "f32"), indices(LAST))
    turned = ops.multiply(along, frequencies)
    angles, start = [], 0
    for axis, size in enumerate(text.mrope_section):
        section = ops.slice(turned, indices(start), indices(start + size), indices(1), indices(LAST))
        angles.append(ops.gather(section, index(axis), index(0)))
        start += size
    half = ops.concat(angles, LAST)
    whole = ops.concat([half, half], LAST)
    cos, sin = ops.cos(whole, name=COS), ops.sin(whole, name=SIN)
    return ops.unsqueeze(cos, indices(1)), ops.unsqueeze(sin, indices(1))


def _causal_mask(mask: Node, embeds: Node) -> Node:
    """Bool [B, 1, S, past + S]: which earlier positions a new one sees."""
    total, new = size_of(mask, 1), size_of(embeds, 1)
    keys = ops.range(index(0), total, index(1), "i64")
    queries = ops.range(ops.subtract(total, new), total, index(1), "i64")
    causal = ops.less_equal(ops.unsqueeze(keys, indices(0)), ops.unsqueeze(queries, indices(1)))
    there = ops.not_equal(ops.unsqueeze(mask, indices(1, 2)), index(0))
    return ops.logical_and(there, ops.unsqueeze(causal, indices(0, 1)))


class _Block:
    """One layer; `sinks` are where its two states are written."""

    def __init__(self, layers: Layers, text: TextConfig, number: int, beams: Node) -> None:
        self._layers, self._text, self._number, self._beams = layers, text, number, beams
        self._name = f"{PREFIX}.layers.{number}"
        self.sinks: list[Node] = []

    def apply(self, hidden: Node, cos: Node, sin: Node, visible: Node) -> Node:
        epsilon, name = self._text.rms_norm_eps, self._name
        normal = self._layers.rms_norm(hidden, f"{name}.input_layernorm", epsilon)
        hidden = ops.add(hidden, self._attention(normal, cos, sin, visible))
        normal = self._layers.rms_norm(hidden, f"{name}.post_attention_layernorm", epsilon)
        return ops.add(hidden, self._mlp(normal))

    def _mlp(self, x: Node) -> Node:
        gate = ops.swish(self._linear(x, "mlp.gate_proj"))
        return self._linear(ops.multiply(gate, self._linear(x, "mlp.up_proj")), "mlp.down_proj")

    def _attention(self, x: Node, cos: Node, sin: Node, visible: Node) -> Node:
        text = self._text
        query = rotated(self._heads(x, "q", text.num_attention_heads), cos, sin, text.head_dim)
        key = rotated(self._heads(x, "k", text.num_key_value_heads), cos, sin, text.head_dim)
        value = self._heads(x, "v", text.num_key_value_heads)
        keys = self._shared(self._remembered(key, "key"))
        values = self._shared(self._remembered(value, "value"))
        scale = scalar(text.head_dim**-0.5)
        seen = ops.scaled_dot_product_attention(query, keys, values, visible, scale, False)
        width = text.num_attention_heads * text.head_dim
        joined = ops.reshape(ops.transpose(seen, indices(0, 2, 1, 3)), indices(0, 0, width), True)
        return self._linear(joined, "self_attn.o_proj")

    def _heads(self, x: Node, which: str, heads: int) -> Node:
        projected = self._linear(x, f"self_attn.{which}_proj")
        split = ops.reshape(projected, indices(0, 0, heads, self._text.head_dim), True)
        return ops.transpose(split, indices(0, 2, 1, 3))

    def _linear(self, x: Node, name: str) -> Node:
        return self._layers.linear(x, f"{self._name}.{name}", bias=self._text.use_bias)

    def _remembered(self, new: Node, what: str) -> Node:
        """The state with the new positions behind it: [B, KV heads, past + S, head_dim]."""
        heads, dim = self._text.num_key_value_heads, self._text.head_dim
        info = VariableInfo()
        info.data_shape = ov.PartialShape([-1, heads, -1, dim])
        info.data_type = ov.Type.f32
        info.variable_id = f"past_key_values.{self._number}.{what}"
        variable = Variable(info)
        batch = ops.unsqueeze(size_of(new, 0), indices(0))
        empty = ops.broadcast(scalar(0.0), ops.concat([batch, indices(heads, 0, dim)], 0))
        past = ops.gather(ops.read_value(empty, variable), self._beams, index(0))
        both = ops.concat([past, new], 2)
        self.sinks.append(ops.assign(both, variable))
        return both

    def _shared(self, heads: Node) -> Node:
        """Each KV head as often as query heads share it."""
        text = self._text
        times = text.num_attention_heads // text.num_key_value_heads
        if times == 1:
            return heads
        target = indices(1, 1, times, 1, 1)
        spread = ops.broadcast(ops.unsqueeze(heads, indices(2)), target, broadcast_spec="BIDIRECTIONAL")
        return ops.reshape(spread, indices(0, text.num_attention_heads, -1, text.head_dim), True)
