"""Which tensors there are, under which names, and how many numbers they hold."""

from math import prod

import pytest
from msgspec.structs import replace

from arcscribe.models import load_catalog
from samples.checkpoints.checkpoint import FULL, TOY
from samples.checkpoints.safetensors import file_header
from samples.checkpoints.weights import Layout, stored_tensors
from vlm_stage.convert.names import canonical_name
from vlm_stage.convert.tensors import EMBEDDINGS, HEAD, expected_tensors, network_tensors, parameter_count
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig


def test_a_published_model_has_its_0_9_billion_parameters() -> None:
    assert parameter_count(FULL) == 905_601_648
    assert parameter_count(replace(FULL, tie_word_embeddings=True)) == 905_601_648 - 103_424 * 1024


@pytest.mark.parametrize("name", ["paddleocr-vl-1.5", "paddleocr-vl-1.6"])
def test_the_published_layout_is_as_long_as_the_published_file_to_the_byte(name: str) -> None:
    shapes = stored_tensors(FULL, "published")
    length = len(file_header(shapes, "bf16")) + 2 * sum(map(prod, shapes.values()))
    assert len(shapes) == 620
    assert [length] == [file.bytes for file in load_catalog().model(name).files if "safetensors" in file.name]


@pytest.mark.parametrize("layout", ["published", "transformers"])
@pytest.mark.parametrize("config", [TOY, FULL], ids=["toy", "full"])
def test_both_layouts_hold_what_the_sizes_call_for(layout: Layout, config: ModelConfig) -> None:
    stored = stored_tensors(config, layout)
    found = {name: shape for key, shape in stored.items() if (name := canonical_name(key))}
    assert found == expected_tensors(config)
    unused = {key for key in stored if canonical_name(key) is None}
    assert len(unused) == (12 if layout == "published" else 0)
    assert all("packing_position_embedding" in key or ".head." in key for key in unused)


@pytest.mark.parametrize(
    ("stored", "name"),
    [
        ("visual.vision_model.post_layernorm.bias", "model.visual.vision_model.post_layernorm.bias"),
        ("mlp_AR.linear_1.weight", "model.projector.linear_1.weight"),
        ("model.layers.0.mlp.up_proj.weight", "model.language_model.layers.0.mlp.up_proj.weight"),
        ("model.norm.weight", "model.language_model.norm.weight"),
        ("model.visual.vision_model.head.probe", None),
        ("lm_head.weight", "lm_head.weight"),
        ("model.projector.linear_1.weight", "model.projector.linear_1.weight"),
    ],
)
def test_published_names_become_those_of_transformers(stored: str, name: str | None) -> None:
    assert canonical_name(stored) == name


@pytest.mark.parametrize("tied", [False, True])
def test_each_tensor_belongs_to_a_network_and_a_shared_head_to_two(tied: bool) -> None:
    config = replace(TOY, tie_word_embeddings=tied)
    networks = network_tensors(config)
    assert networks.keys() == {"vision", "embeddings", "decoder"}
    merged = networks["vision"] | networks["embeddings"] | networks["decoder"]
    assert merged == expected_tensors(config)
    assert networks["embeddings"].keys() == {EMBEDDINGS}
    assert (EMBEDDINGS in networks["decoder"]) == tied == (HEAD not in networks["decoder"])


def test_biases_of_the_decoder_are_called_for_where_it_has_them() -> None:
    biased = replace(TOY, text=replace(TOY.text, use_bias=True))
    more = expected_tensors(biased).keys() - expected_tensors(TOY).keys()
    assert len(more) == 7 * TOY.text.num_hidden_layers
    assert all(name.endswith("_proj.bias") for name in more)
