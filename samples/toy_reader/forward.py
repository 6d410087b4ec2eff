"""The forward pass of transformers' PaddleOCR-VL (5.24) on a batch of lines of one width.

It runs the same modules without the loop over pictures. What the weights are worth,
`samples.toy_reader.evaluate` finds out with transformers' own pass.
"""

from functools import cache

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PaddleOCRVLForConditionalGeneration as Reader
from transformers.models.paddleocr_vl.modeling_paddleocr_vl import apply_rotary_pos_emb, repeat_kv
from transformers.vision_utils import get_vision_interpolation_indices_and_weights, get_vision_position_ids

from samples.toy_reader import vocabulary

Rotation = tuple[Tensor, Tensor]


def encode_patches(model: Reader, patches: Tensor, width: int) -> Tensor:
    """Grey patches [B, 4W, 196] of lines of W merged patches to the vision encoder's output [B, 4W, D]."""
    vision = model.model.visual.vision_model
    embeddings = vision.embeddings
    kernel = embeddings.patch_embedding.weight.sum(dim=1).flatten(1)
    hidden = functional.linear(patches, kernel, embeddings.patch_embedding.bias)
    indices, weights = _interpolation(width, embeddings.num_grid_per_side)
    hidden = hidden + (embeddings.position_embedding(indices) * weights[:, :, None]).sum(1)
    cos, sin = vision.encoder.rotary_pos_emb(hidden, get_vision_position_ids(_grid(width), 1))
    for layer in vision.encoder.layers:
        hidden = hidden + _look_around(layer.self_attn, layer.layer_norm1(hidden), (cos[None], sin[None]))
        hidden = hidden + layer.mlp(layer.layer_norm2(hidden))
    return vision.post_layernorm(hidden)


def project(model: Reader, encoded: Tensor) -> Tensor:
    """The vision encoder's output [B, 4W, D] merged two by two into the decoder's inputs [B, W, H]."""
    projector = model.model.projector
    batch, patches, size = encoded.shape
    merged = projector.pre_norm(encoded).reshape(batch, 2, patches // 4, 2, size).transpose(1, 2)
    merged = merged.reshape(batch, patches // 4, 4 * size)
    return projector.linear_2(projector.act(projector.linear_1(merged)))


def _look_around(attention: nn.Module, hidden: Tensor, rotation: Rotation) -> Tensor:
    batch, length, size = hidden.shape
    query, key, value = (
        layer(hidden).view(batch, length, attention.num_heads, attention.head_dim).transpose(1, 2)
        for layer in (attention.q_proj, attention.k_proj, attention.v_proj)
    )
    query, key = apply_rotary_pos_emb(query, key, *rotation)
    seen = functional.scaled_dot_product_attention(query, key, value)
    return attention.out_proj(seen.transpose(1, 2).reshape(batch, length, size))


def read(model: Reader, image: Tensor, texts: Tensor) -> tuple[Tensor, list[Tensor], list[Tensor]]:
    """Decoding of texts that are known.

    Args:
        model: the model.
        image: image tokens [B, W, H].
        texts: ids [B, L].

    Returns:
        The logits [B, L + 1, V] of each character and of the end; each layer's output [B, S, H] at all S
        positions; each layer's attention [B, heads, L + 1, S] from the L + 1 positions that read.
    """
    decoder = model.model.language_model
    batch, width, _ = image.shape
    opening, closing = vocabulary.prompt()
    before = decoder.embed_tokens(torch.tensor(opening)).expand(batch, -1, -1)
    after = decoder.embed_tokens(torch.tensor(closing)).expand(batch, -1, -1)
    hidden = torch.cat([before, image, after, decoder.embed_tokens(texts)], dim=1)
    rotation = decoder.rotary_emb(hidden, positions(model, width, texts.shape[1]))
    reading = texts.shape[1] + 1
    outputs, attentions = [], []
    for layer in decoder.layers:
        seen, weights = _look_back(layer.self_attn, layer.input_layernorm(hidden), rotation, reading)
        hidden = hidden + seen
        hidden = hidden + layer.mlp(layer.post_attention_layernorm(hidden))
        outputs.append(hidden)
        attentions.append(weights)
    return model.lm_head(decoder.norm(hidden[:, -reading:])), outputs, attentions


def _look_back(
    attention: nn.Module, hidden: Tensor, rotation: Rotation, reading: int
) -> tuple[Tensor, Tensor]:
    batch, length, _ = hidden.shape
    query, key, value = (
        layer(hidden).view(batch, length, -1, attention.head_dim).transpose(1, 2)
        for layer in (attention.q_proj, attention.k_proj, attention.v_proj)
    )
    query, key = apply_rotary_pos_emb(query, key, *rotation)
    key, value = (repeat_kv(x, attention.num_key_value_groups) for x in (key, value))
    scores = query @ key.transpose(2, 3) * attention.scaling
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
    seen = (weights @ value).transpose(1, 2).reshape(batch, length, -1)
    return attention.o_proj(seen), weights[:, :, -reading:]


def image_start() -> int:
    """The position of the first image token in the sequence."""
    return len(vocabulary.prompt()[0])


def positions(model: Reader, width: int, text_length: int) -> Tensor:
    """M-RoPE positions [3, 1, S], from transformers' own function."""
    opening, closing = vocabulary.prompt()
    ids = torch.tensor([[*opening, *[vocabulary.IMAGE] * width, *closing, *[vocabulary.PAD] * text_length]])
    kinds = (ids == vocabulary.IMAGE).int()
    found, _ = model.model.get_rope_index(ids, mm_token_type_ids=kinds, image_grid_thw=_grid(width))
    return found


def _grid(width: int) -> Tensor:
    return torch.tensor([[1, 2, 2 * width]])


@cache
def _interpolation(width: int, side: int) -> tuple[Tensor, Tensor]:
    indices, weights = get_vision_interpolation_indices_and_weights(_grid(width), num_grid_per_side=side)
    return indices, weights
