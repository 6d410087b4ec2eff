"""Everything that goes into the networks, against transformers' own processor and position code."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image
from tokenizers import Tokenizer
from tokenizers.processors import TemplateProcessing
from transformers import AutoConfig, AutoImageProcessor, AutoProcessor
from transformers.models.paddleocr_vl.image_processing_pil_paddleocr_vl import (
    PaddleOCRVLImageProcessorPil,
)
from transformers.models.paddleocr_vl.image_processing_pil_paddleocr_vl import (
    smart_resize as reference_smart_resize,
)
from transformers.models.paddleocr_vl.modeling_paddleocr_vl import (
    PaddleOCRVisionEmbeddings,
    PaddleOCRVLModel,
)
from transformers.vision_utils import get_vision_interpolation_indices_and_weights, get_vision_position_ids

from arcscribe.errors import TooLarge
from arcscribe.types import RgbImage
from samples.checkpoints.chat_templates import CHAT_TEMPLATE, CHAT_TEMPLATE_1
from samples.checkpoints.checkpoint import FULL, TOY, write_settings
from samples.checkpoints.tokenizer import write_tokenizer
from vlm_stage.convert.chat_template import KNOWN_TEMPLATES, read_chat_template
from vlm_stage.convert.image_settings import read_image_settings
from vlm_stage.engines.paddleocr_vl.inputs.images import ImageSettings, patchify, smart_resize
from vlm_stage.engines.paddleocr_vl.inputs.prompts import MIN_PIXELS, Task, build_prompt, max_pixels
from vlm_stage.engines.paddleocr_vl.inputs.rope_positions import prompt_positions
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer
from vlm_stage.engines.paddleocr_vl.inputs.vision_positions import vision_positions

SIZES = [(50, 300), (30, 400), (3, 5), (1, 150), (2000, 40), (700, 980), (1801, 1233), (28, 28), (3000, 2500)]
GRIDS = [(2, 2), (10, 60), (52, 54), (98, 2), (2, 100), (26, 28), (70, 102)]

even = st.integers(1, 60).map(lambda half: 2 * half)


def picture(height: int, width: int, seed: int = 0) -> RgbImage:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def in_blocks(values: NDArray[Any], rows: int, columns: int) -> NDArray[Any]:
    """Row-major patches, in the order in which the projector merges them."""
    blocks = values.reshape(rows // 2, 2, columns // 2, 2, -1).transpose(0, 2, 1, 3, 4)
    return blocks.reshape(rows * columns, -1)


@pytest.fixture(scope="session", params=["toy", "full"])
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of a checkpoint but its weights."""
    folder = tmp_path_factory.mktemp(request.param)
    config = TOY if request.param == "toy" else FULL
    write_settings(folder, config, "published", "bf16")
    write_tokenizer(folder, config.text.vocab_size)
    return folder


@pytest.fixture(scope="session")
def processor(checkpoint: Path) -> Any:
    return AutoProcessor.from_pretrained(checkpoint)


@pytest.fixture(scope="session")
def tokenizer(checkpoint: Path) -> TextTokenizer:
    return TextTokenizer.from_file(checkpoint / "tokenizer.json")


@given(
    height=st.integers(1, 6000),
    width=st.integers(1, 6000),
    least=st.integers(1, 10**6),
    more=st.integers(0, 10**7),
)
def test_sizes_are_those_of_the_reference(height: int, width: int, least: int, more: int) -> None:
    settings = ImageSettings(min_pixels=least, max_pixels=least + more)
    try:
        expected = reference_smart_resize(height, width, 28, least, least + more)
    except ValueError:
        with pytest.raises(TooLarge):
            smart_resize(height, width, settings)
    else:
        assert smart_resize(height, width, settings) == expected


@pytest.mark.parametrize(("height", "width"), SIZES)
@pytest.mark.parametrize("task", [Task.OCR, Task.SPOTTING])
def test_patches_are_those_of_the_reference_to_the_last_bit(height: int, width: int, task: Task) -> None:
    pixels = picture(height, width)
    settings = ImageSettings(image_mean=(0.5, 0.5, 0.5), image_std=(0.5, 0.5, 0.5))
    patches = patchify(pixels, settings, max_pixels(task), MIN_PIXELS)
    reference = PaddleOCRVLImageProcessorPil(
        image_mean=[0.5] * 3, image_std=[0.5] * 3, min_pixels=MIN_PIXELS, max_pixels=max_pixels(task)
    )(Image.fromarray(pixels), return_tensors="np")
    assert reference["image_grid_thw"].tolist() == [[1, patches.rows, patches.columns]]
    expected = in_blocks(reference["pixel_values"], patches.rows, patches.columns)
    np.testing.assert_array_equal(patches.values, expected)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"resample": 2, "image_mean": [0.1, 0.2, 0.3], "image_std": [0.4, 0.5, 0.6], "rescale_factor": 0.01},
        {"do_normalize": False},
        {"do_rescale": False},
        {"do_rescale": False, "do_normalize": False},
        {"size": {"shortest_edge": 10_000, "longest_edge": 40_000}},
        {"min_pixels": 20_000, "max_pixels": 30_000, "size": {"shortest_edge": 1, "longest_edge": 2}},
    ],
)
def test_a_checkpoints_settings_are_followed_as_the_reference_follows_them(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    content = {"image_processor_type": "PaddleOCRVLImageProcessor", "something_new": [1]} | changes
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(content))
    pixels = picture(333, 222)
    patches = patchify(pixels, read_image_settings(tmp_path))
    reference = AutoImageProcessor.from_pretrained(tmp_path)(Image.fromarray(pixels), return_tensors="np")
    expected = in_blocks(reference["pixel_values"], patches.rows, patches.columns)
    np.testing.assert_array_equal(patches.values, expected)


def test_settings_that_transformers_saved_are_read_from_where_it_puts_them(
    processor: Any, checkpoint: Path, tmp_path: Path
) -> None:
    processor.save_pretrained(tmp_path)
    assert not (tmp_path / "preprocessor_config.json").exists()
    assert read_image_settings(tmp_path) == read_image_settings(checkpoint)


@pytest.mark.parametrize(("rows", "columns"), GRIDS)
@pytest.mark.parametrize("side", [27, 8])
def test_vision_positions_are_those_of_the_reference_to_the_last_bit(
    rows: int, columns: int, side: int
) -> None:
    grid = torch.tensor([[1, rows, columns]])
    positions = vision_positions(rows, columns, side)
    indices, weights = get_vision_interpolation_indices_and_weights(grid, side, spatial_merge_size=2)
    np.testing.assert_array_equal(positions.hw_ids, get_vision_position_ids(grid, 2).numpy())
    np.testing.assert_array_equal(positions.pos_idx, indices.numpy())
    np.testing.assert_array_equal(positions.pos_w, weights.numpy())


@given(rows=even, columns=even)
def test_the_position_table_is_resized_as_torch_resizes_it(rows: int, columns: int) -> None:
    table = torch.randn(1, 5, 27, 27, generator=torch.Generator().manual_seed(0))
    resized = torch.nn.functional.interpolate(table, (rows, columns), mode="bilinear", align_corners=False)
    expected = in_blocks(resized[0].permute(1, 2, 0).numpy(), rows, columns)
    positions = vision_positions(rows, columns)
    flat = table[0].permute(1, 2, 0).reshape(27 * 27, 5).numpy()
    mixed = (flat[positions.pos_idx] * positions.pos_w[:, :, None]).sum(axis=1)
    # Places in the table, up to 27, are off by a rounding, 27 * 2^-23 = 3e-6, and neighbours by up to 8.
    np.testing.assert_allclose(mixed, expected, atol=5e-5)


def test_the_reference_embeds_a_patch_with_the_position_that_is_ours() -> None:
    config = AutoConfig.for_model("paddleocr_vl").vision_config
    torch.manual_seed(0)
    embeddings = PaddleOCRVisionEmbeddings(config)
    patches = patchify(picture(60, 90), ImageSettings())
    rows, columns = patches.rows, patches.columns
    raster = patches.values.reshape(rows // 2, columns // 2, 2, 2, 588).transpose(0, 2, 1, 3, 4)
    pixel_values = torch.from_numpy(raster.reshape(1, rows * columns, 3, 14, 14).copy())
    with torch.inference_mode():
        expected = embeddings(pixel_values, torch.tensor([[1, rows, columns]])).numpy()
    kernel = embeddings.patch_embedding.weight.detach().numpy().reshape(config.hidden_size, 588)
    bias = embeddings.patch_embedding.bias.detach().numpy()
    table = embeddings.position_embedding.weight.detach().numpy()
    positions = vision_positions(rows, columns)
    ours = patches.values @ kernel.T + bias
    ours += (table[positions.pos_idx] * positions.pos_w[:, :, None]).sum(axis=1)
    np.testing.assert_allclose(ours, in_blocks(expected, rows, columns), atol=1e-4)


@pytest.fixture(scope="session")
def model(checkpoint: Path) -> Any:
    with torch.device("meta"):
        return PaddleOCRVLModel(AutoConfig.from_pretrained(checkpoint))


@pytest.mark.parametrize(("rows", "columns"), GRIDS)
@pytest.mark.parametrize(("before", "after"), [(4, 7), (1, 1), (0, 3), (3, 0)])
def test_rope_positions_are_those_of_the_reference(
    model: Any, before: int, after: int, rows: int, columns: int
) -> None:
    kinds = torch.tensor([[0] * before + [1] * (rows * columns // 4) + [0] * after])
    expected, delta = model.get_rope_index(torch.zeros_like(kinds), kinds, torch.tensor([[1, rows, columns]]))
    positions = prompt_positions(before, rows, columns, after)
    np.testing.assert_array_equal(positions.ids, expected[:, 0].numpy())
    assert positions.delta == delta.item()


def reference_inputs(processor: Any, pixels: RgbImage, text: str) -> Any:
    content = [{"type": "image", "image": Image.fromarray(pixels)}, {"type": "text", "text": text}]
    return processor.apply_chat_template(
        [{"role": "user", "content": content}],
        tokenize=True,
        add_generation_prompt=True,
        return_dict=True,
        return_tensors="np",
    )


@pytest.mark.parametrize("text", [*Task, "What is 甲方's total, in € (or 元)? 😀"])
def test_a_crop_becomes_what_the_processor_makes_of_it(
    processor: Any, checkpoint: Path, tokenizer: TextTokenizer, text: str
) -> None:
    pixels = picture(90, 500)
    expected = reference_inputs(processor, pixels, text)
    patches = patchify(pixels, read_image_settings(checkpoint))
    prompt = build_prompt(
        tokenizer, read_chat_template(checkpoint), text, patches.rows * patches.columns // 4
    )
    np.testing.assert_array_equal(prompt.ids, expected["input_ids"][0])
    image = expected["mm_token_type_ids"][0].nonzero()[0]
    assert (prompt.image_start, prompt.image_tokens) == (image[0], len(image))
    np.testing.assert_array_equal(
        patches.values, in_blocks(expected["pixel_values"], patches.rows, patches.columns)
    )


@pytest.mark.parametrize(("source", "version"), [(CHAT_TEMPLATE, "1.6"), (CHAT_TEMPLATE_1, "1.0")])
@pytest.mark.parametrize("start", ["", "<s>"])
def test_templates_of_all_versions_give_the_processors_tokens(
    tmp_path: Path, source: str, version: str, start: str
) -> None:
    write_settings(tmp_path, TOY, "published", "bf16")
    write_tokenizer(tmp_path, chat_template=source)
    path = tmp_path / "tokenizer.json"
    if start:
        put_before_every_text(path, start)
    expected = reference_inputs(AutoProcessor.from_pretrained(tmp_path), picture(90, 500), "OCR:")
    template = read_chat_template(tmp_path)
    assert template == KNOWN_TEMPLATES[version]
    count = int(expected["image_grid_thw"].prod()) // 4
    prompt = build_prompt(TextTokenizer.from_file(path), template, "OCR:", count)
    assert prompt.ids.tolist() == expected["input_ids"][0].tolist()


def put_before_every_text(path: Path, token: str) -> None:
    tokenizer = Tokenizer.from_file(str(path))
    number = tokenizer.token_to_id(token)
    tokenizer.post_processor = TemplateProcessing(single=f"{token} $A", special_tokens=[(token, number)])
    tokenizer.save(str(path))


@given(
    numbers=st.lists(st.integers(0, FULL.text.vocab_size - 1) | st.integers(0, 511), max_size=30),
    skip=st.booleans(),
)
def test_ids_decode_as_in_the_reference(
    processor: Any, tokenizer: TextTokenizer, numbers: list[int], skip: bool
) -> None:
    expected = processor.tokenizer.decode(numbers, skip_special_tokens=skip)
    assert tokenizer.decode(numbers, skip) == expected
