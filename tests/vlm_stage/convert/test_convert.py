"""From a checkpoint to a folder that can be served."""

from pathlib import Path

import numpy as np
import openvino as ov
import pytest
from msgspec.structs import replace

from arcscribe.models.files import sha256_of
from samples.checkpoints.checkpoint import TOY, write_checkpoint
from tests.vlm_stage.convert.conversions import (
    FP16,
    FP32,
    INT4,
    INT8,
    converted,
    crop,
    image_tokens,
    likeness,
    logits,
    stored_types,
)
from vlm_stage.convert.convert import convert
from vlm_stage.convert.request import Request
from vlm_stage.convert.weights import open_weights
from vlm_stage.engines.paddleocr_vl.graphs.decoder import build_decoder
from vlm_stage.engines.paddleocr_vl.manifest import (
    DECODER,
    EMBEDDINGS,
    NETWORKS,
    VISION,
    NetworkPrecision,
    Precisions,
    read_manifest,
)


def test_the_folder_holds_what_its_manifest_says(toy: Path, fp32: Path) -> None:
    manifest = read_manifest(fp32)
    named = {file.name: file for file in manifest.files}
    assert {*named, "arcscribe.json"} == {p.name for p in fp32.iterdir() if not p.name.startswith(".")}
    assert named.keys() >= {*NETWORKS, "vision.bin", "embeddings.bin", "decoder.bin", "tokenizer.json"}
    for name, file in named.items():
        assert (file.bytes, file.sha256) == ((fp32 / name).stat().st_size, sha256_of(fp32 / name))
    assert manifest.config == TOY
    assert manifest.precisions == Precisions(FP32, FP32, FP32)
    assert (manifest.name, manifest.version) == ("paddleocr-vl", "unknown")
    assert manifest.parameters == 438_848
    assert manifest.template.after_prompt == "\nAssistant:\n"
    assert (manifest.images.min_pixels, manifest.images.image_mean) == (112_896, (0.5, 0.5, 0.5))
    sources = {file.name: file.sha256 for file in manifest.sources}
    assert sources["model.safetensors"] == sha256_of(toy / "model.safetensors")
    assert sources.keys() >= {"config.json", "tokenizer.json", "chat_template.jinja"}
    assert manifest.tools.keys() >= {"arcscribe", "openvino", "nncf", "python"}


def test_networks_are_those_that_were_built(toy: Path, fp32: Path, tmp_path: Path) -> None:
    ov.save_model(build_decoder(TOY, open_weights(toy)), tmp_path / DECODER, compress_to_fp16=False)
    np.testing.assert_array_equal(logits(fp32 / DECODER), logits(tmp_path / DECODER))


def test_both_layouts_give_the_same_networks(fp32: Path, tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "transformers", layout="transformers")
    other = converted(tmp_path / "transformers", tmp_path / "out")
    for name in ("vision.bin", "embeddings.bin", "decoder.bin"):
        assert (other / name).read_bytes() == (fp32 / name).read_bytes()


def test_a_shared_head_is_that_of_the_embeddings(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "tied", config=replace(TOY, tie_word_embeddings=True))
    out = converted(tmp_path / "tied", tmp_path / "out")
    weights = open_weights(tmp_path / "tied")
    table = weights("model.language_model.embed_tokens.weight")
    ov.save_model(
        build_decoder(TOY, lambda name: table if name == "lm_head.weight" else weights(name)),
        tmp_path / DECODER,
        compress_to_fp16=False,
    )
    np.testing.assert_array_equal(logits(out / DECODER), logits(tmp_path / DECODER))
    assert read_manifest(out).config.tie_word_embeddings


@pytest.mark.parametrize(("precision", "least"), [(FP16, 0.999999), (INT8, 0.999), (INT4, 0.9)])
def test_fewer_bits_say_nearly_the_same(
    precision: NetworkPrecision, least: float, toy: Path, fp32: Path, tmp_path: Path
) -> None:
    out = converted(toy, tmp_path / "out", precision)
    assert likeness(logits(out / DECODER), logits(fp32 / DECODER)) > least
    assert likeness(image_tokens(out, crop(0)), image_tokens(fp32, crop(0))) > max(least, 0.999)


def test_weights_are_stored_as_asked_for(toy: Path, tmp_path: Path) -> None:
    text, head = TOY.text, TOY.text.vocab_size * TOY.text.hidden_size
    layers = 2 * (2 * 64 * 256 + 2 * 64 * 128 + 3 * 64 * 128)
    out = converted(toy, tmp_path / "fp16", FP16)
    assert stored_types(out / DECODER)["f16"] == layers + head
    out = converted(toy, tmp_path / "int8", INT8)
    assert stored_types(out / DECODER)["i8"] == layers + head
    assert stored_types(out / EMBEDDINGS)["i8"] == text.vocab_size * text.hidden_size
    out = converted(toy, tmp_path / "int4", INT4)
    assert stored_types(out / DECODER)["i4"] == layers
    assert stored_types(out / DECODER)["i8"] == head
    assert stored_types(out / EMBEDDINGS)["i8"] == text.vocab_size * text.hidden_size
    assert stored_types(out / VISION)["i4"] == 0
    assert read_manifest(out).precisions == Precisions(INT8, INT8, INT4)


def test_what_rotates_and_what_is_looked_at_first_stays_exact(toy: Path, tmp_path: Path) -> None:
    positions = TOY.vision.positions_per_side**2 * TOY.vision.hidden_size
    patches = TOY.vision.patch_values * TOY.vision.hidden_size
    assert stored_types(converted(toy, tmp_path / "int8", INT8) / VISION)["f32"] > positions + patches
    out = converted(toy, tmp_path / "fp16", FP16)
    vectors = [
        node.get_output_element_type(0)
        for node in ov.Core().read_model(out / DECODER).get_ops()
        if node.get_type_name() == "Constant"
        and node.get_output_shape(0) == [1, 1, 1, TOY.text.head_dim // 2]
    ]
    assert vectors == [ov.Type.f32]


def test_the_vision_encoder_may_have_a_precision_of_its_own(toy: Path, tmp_path: Path) -> None:
    out = converted(toy, tmp_path / "out", INT8, vision=FP16)
    assert read_manifest(out).precisions == Precisions(FP16, INT8, INT8)
    assert stored_types(out / VISION)["i8"] == 0


def test_progress_goes_from_nothing_to_all_in_every_stage(toy: Path, tmp_path: Path) -> None:
    steps: dict[str, list[float]] = {}
    convert(
        Request(toy, tmp_path / "out", INT8), lambda stage, part: steps.setdefault(stage, []).append(part)
    )
    assert list(steps) == [
        "check weights",
        "hash checkpoint",
        *(
            f"{what} {network}"
            for network in ("vision", "embeddings", "decoder")
            for what in ("build", "compress", "write")
        ),
        "hash result",
    ]
    for parts in steps.values():
        assert parts == sorted(parts)
        assert parts[-1] == pytest.approx(1.0)
