"""The vision encoder and the projector: from patches to the decoder's image tokens.

The arithmetic is that of transformers 5.24 (`PaddleOCRVisionTransformer`, `PaddleOCRProjector`). Patches come
in blocks of 2 x 2, so that merging them is a reshape, and the grid's shape never enters the graph.
"""

import openvino as ov
from openvino import opset13 as ops

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
)
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig, VisionConfig

PREFIX = "model.visual.vision_model"
PROJECTOR = "model.projector"
_PROJECTOR_EPSILON = 1e-5


def build_vision(config: ModelConfig, weights: Weights) -> ov.Model:
    """From patches to image tokens, in float32.

    Inputs: `patches` f32 [B, N, 588], channels first in each; `cos` and `sin` f32 [B, N, head_dim], their
    rotation (`axial_rotation`); `pos_idx` i64 [B, N, 4] and `pos_w` f32 [B, N, 4], the entries of the learned
    position table and their weights; `segments` i32 [B, N]: a patch sees those with its own number, so that
    several crops, or padding, may share a row.
    Output: `image_tokens` f32 [B, N / 4, hidden].
    """
    vision, layers = config.vision, Layers(weights)
    patches = network_input("patches", "f32", [-1, -1, vision.patch_values])
    cos = network_input("cos", "f32", [-1, -1, vision.head_dim])
    sin = network_input("sin", "f32", [-1, -1, vision.head_dim])
    places = network_input("pos_idx", "i64", [-1, -1, 4])
    shares = network_input("pos_w", "f32", [-1, -1, 4])
    segments = network_input("segments", "i32", [-1, -1])
    hidden = ops.add(_embedded(patches, layers, vision), _position(places, shares, layers))
    context = ops.unsqueeze(cos, indices(1)), ops.unsqueeze(sin, indices(1)), _same_segment(segments)
    for number in range(vision.num_hidden_layers):
        hidden = _block(hidden, layers, vision, number, context)
    hidden = layers.layer_norm(hidden, f"{PREFIX}.post_layernorm", vision.layer_norm_eps)
    tokens = _projected(hidden, layers, vision)
    inputs = [patches, cos, sin, places, shares, segments]
    return ov.Model([network_output(tokens, "image_tokens")], inputs, "paddleocr_vl_vision")


def _embedded(patches: Node, layers: Layers, vision: VisionConfig) -> Node:
    """The convolution whose stride is its kernel, as the product that it is."""
    kernel = layers.weights(f"{PREFIX}.embeddings.patch_embedding.weight")
    flat = ops.constant(kernel.reshape(vision.hidden_size, vision.patch_values))
    product = ops.matmul(patches, flat, False, True, name=f"{PREFIX}.embeddings.patch_embedding")
    return ops.add(product, layers.constant(f"{PREFIX}.embeddings.patch_embedding.bias"))


def _position(places: Node, shares: Node, layers: Layers) -> Node:
    """The learned position table at the patches' places, between its entries."""
    table = layers.constant(f"{PREFIX}.embeddings.position_embedding.weight")
    entries = ops.gather(table, places, index(0))
    weighted = ops.multiply(entries, ops.unsqueeze(shares, indices(LAST)))
    return ops.reduce_sum(weighted, indices(2), False)


def _same_segment(segments: Node) -> Node:
    """Bool [B, 1, N, N]."""
    rows, columns = ops.unsqueeze(segments, indices(1, 3)), ops.unsqueeze(segments, indices(1, 2))
    return ops.equal(rows, columns)


def _block(
    hidden: Node, layers: Layers, vision: VisionConfig, number: int, context: tuple[Node, Node, Node]
) -> Node:
    name = f"{PREFIX}.encoder.layers.{number}"
    normal = layers.layer_norm(hidden, f"{name}.layer_norm1", vision.layer_norm_eps)
    hidden = ops.add(hidden, _attention(normal, layers, vision, f"{name}.self_attn", context))
    normal = layers.layer_norm(hidden, f"{name}.layer_norm2", vision.layer_norm_eps)
    inner = ops.gelu(layers.linear(normal, f"{name}.mlp.fc1", bias=True), "tanh")
    return ops.add(hidden, layers.linear(inner, f"{name}.mlp.fc2", bias=True))


def _attention(
    x: Node, layers: Layers, vision: VisionConfig, name: str, context: tuple[Node, Node, Node]
) -> Node:
    cos, sin, visible = context

    def heads(which: str) -> Node:
        projected = layers.linear(x, f"{name}.{which}_proj", bias=True)
        split = ops.reshape(projected, indices(0, 0, vision.num_attention_heads, vision.head_dim), True)
        return ops.transpose(split, indices(0, 2, 1, 3))

    query = rotated(heads("q"), cos, sin, vision.head_dim)
    key = rotated(heads("k"), cos, sin, vision.head_dim)
    scale = scalar(vision.head_dim**-0.5)
    seen = ops.scaled_dot_product_attention(query, key, heads("v"), visible, scale, False)
    joined = ops.reshape(ops.transpose(seen, indices(0, 2, 1, 3)), indices(0, 0, vision.hidden_size), True)
    return layers.linear(joined, f"{name}.out_proj", bias=True)


def _projected(hidden: Node, layers: Layers, vision: VisionConfig) -> Node:
    """Four neighbours become one token of the decoder's width."""
    normal = layers.layer_norm(hidden, f"{PROJECTOR}.pre_norm", _PROJECTOR_EPSILON)
    width = vision.hidden_size * vision.spatial_merge_size**2
    merged = ops.reshape(normal, indices(0, -1, width), True)
    inner = ops.gelu(layers.linear(merged, f"{PROJECTOR}.linear_1", bias=True), "erf")
    return layers.linear(inner, f"{PROJECTOR}.linear_2", bias=True)
