"""Which tensors a PaddleOCR-VL consists of, and their shapes, from its sizes."""

from collections.abc import Iterator
from math import prod

from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig, TextConfig, VisionConfig

VISION = "model.visual.vision_model"
PROJECTOR = "model.projector"
TEXT = "model.language_model"
EMBEDDINGS = f"{TEXT}.embed_tokens.weight"
HEAD = "lm_head.weight"

Shape = tuple[int, ...]


def expected_tensors(config: ModelConfig) -> dict[str, Shape]:
    """The shape of every tensor that the networks are built from, by its name in transformers' state dict."""
    shapes = {**dict(_vision(config.vision)), **dict(_projector(config)), **dict(_text(config.text))}
    if not config.tie_word_embeddings:
        shapes[HEAD] = shapes[EMBEDDINGS]
    return shapes


def parameter_count(config: ModelConfig) -> int:
    """How many numbers all those tensors hold; 905,601,648 at the published sizes with a head of its own."""
    return sum(prod(shape) for shape in expected_tensors(config).values())


def network_tensors(config: ModelConfig) -> dict[str, dict[str, Shape]]:
    """The same for each network, `vision`, `embeddings` and `decoder`; a shared head is in the last two."""
    networks: dict[str, dict[str, Shape]] = {"vision": {}, "embeddings": {}, "decoder": {}}
    for name, shape in expected_tensors(config).items():
        if name.startswith((VISION, PROJECTOR)):
            networks["vision"][name] = shape
        elif name == EMBEDDINGS:
            networks["embeddings"][name] = shape
            if config.tie_word_embeddings:
                networks["decoder"][name] = shape
        else:
            networks["decoder"][name] = shape
    return networks


def _vision(vision: VisionConfig) -> Iterator[tuple[str, Shape]]:
    width, inner, side = vision.hidden_size, vision.intermediate_size, vision.patch_size
    yield f"{VISION}.embeddings.patch_embedding.weight", (width, 3, side, side)
    yield f"{VISION}.embeddings.patch_embedding.bias", (width,)
    yield f"{VISION}.embeddings.position_embedding.weight", (vision.positions_per_side**2, width)
    for index in range(vision.num_hidden_layers):
        layer = f"{VISION}.encoder.layers.{index}"
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            yield from _affine(f"{layer}.self_attn.{name}", width, width)
        yield from _affine(f"{layer}.mlp.fc1", inner, width)
        yield from _affine(f"{layer}.mlp.fc2", width, inner)
        yield from _affine(f"{layer}.layer_norm1", width)
        yield from _affine(f"{layer}.layer_norm2", width)
    yield from _affine(f"{VISION}.post_layernorm", width)


def _projector(config: ModelConfig) -> Iterator[tuple[str, Shape]]:
    merged = config.vision.hidden_size * config.vision.spatial_merge_size**2
    yield from _affine(f"{PROJECTOR}.pre_norm", config.vision.hidden_size)
    yield from _affine(f"{PROJECTOR}.linear_1", merged, merged)
    yield from _affine(f"{PROJECTOR}.linear_2", config.text.hidden_size, merged)


def _text(text: TextConfig) -> Iterator[tuple[str, Shape]]:
    width, inner = text.hidden_size, text.intermediate_size
    queries, keys = text.num_attention_heads * text.head_dim, text.num_key_value_heads * text.head_dim
    yield EMBEDDINGS, (text.vocab_size, width)
    for index in range(text.num_hidden_layers):
        layer = f"{TEXT}.layers.{index}"
        linear = {
            "self_attn.q_proj": (queries, width),
            "self_attn.k_proj": (keys, width),
            "self_attn.v_proj": (keys, width),
            "self_attn.o_proj": (width, queries),
            "mlp.gate_proj": (inner, width),
            "mlp.up_proj": (inner, width),
            "mlp.down_proj": (width, inner),
        }
        for name, shape in linear.items():
            yield f"{layer}.{name}.weight", shape
            if text.use_bias:
                yield f"{layer}.{name}.bias", shape[:1]
        yield f"{layer}.input_layernorm.weight", (width,)
        yield f"{layer}.post_attention_layernorm.weight", (width,)
    yield f"{TEXT}.norm.weight", (width,)


def _affine(name: str, *shape: int) -> Iterator[tuple[str, Shape]]:
    """A weight and a bias with one number for each output."""
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[:1]
