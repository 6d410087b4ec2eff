import numpy as np
import pytest

from arcscribe.types import Crop, RecognizeOptions, RegionKind
from samples.checkpoints.token_ids import TOY_IDS
from samples.checkpoints.tokenizer import build_tokenizer
from vlm_stage.engines.paddleocr_vl.inputs.crop_preparer import MAX_DRAFT_CHARACTERS, CropPreparer
from vlm_stage.engines.paddleocr_vl.inputs.images import ImageSettings
from vlm_stage.engines.paddleocr_vl.inputs.prompts import ChatTemplate, Task
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig

TEMPLATE = ChatTemplate("<|begin_of_sentence|>User: <|IMAGE_START|>", "<|IMAGE_END|>", "\nAssistant:\n")
TOKENIZER = TextTokenizer(build_tokenizer(512, TOY_IDS))
PATCH = 14 * 14
"""Pixels."""


def preparer(min_pixels: int = 147_384, max_pixels: int = 2_822_400) -> CropPreparer:
    """By default with the limits of the first published version."""
    images = ImageSettings(min_pixels=min_pixels, max_pixels=max_pixels)
    return CropPreparer(TOKENIZER, TEMPLATE, images, ModelConfig(eos_token_id=TOY_IDS.end_of_sentence))


def crop(side: int, draft: str = "", **options: int) -> Crop:
    pixels = np.zeros((side, side, 3), np.uint8)
    return Crop(1, RegionKind.TEXT, pixels, draft=draft, options=RecognizeOptions(**options))  # type: ignore[arg-type]


def pixels_read(preparer: CropPreparer, crop: Crop, prompt: str = Task.OCR) -> int:
    return len(preparer.prepare(crop, prompt).patches.values) * PATCH


def test_prompt_patches_and_positions_are_of_one_crop() -> None:
    prepared = preparer().prepare(crop(400), Task.OCR)
    assert prepared.prompt.image_tokens == len(prepared.patches.values) // 4
    assert prepared.positions.shape == (3, len(prepared.prompt.ids))
    assert len(prepared.prompt.ids) + prepared.delta == prepared.positions.max() + 1


@pytest.mark.parametrize(
    ("prompt", "most"), [(Task.OCR, 1_003_520), (Task.SPOTTING, 1_605_632), ("What?", 1_003_520)]
)
def test_a_large_crop_is_read_at_as_many_pixels_as_the_task_has(prompt: str, most: int) -> None:
    assert 0.95 * most < pixels_read(preparer(), crop(3000), prompt) <= most


def test_a_small_crop_is_enlarged_to_what_the_tasks_want_and_not_to_what_the_checkpoint_does() -> None:
    assert 112_896 <= pixels_read(preparer(), crop(30)) < 147_384


def test_a_checkpoint_made_for_small_pictures_gets_small_ones() -> None:
    small = preparer(28 * 28, 28 * 28 * 16)
    assert pixels_read(small, crop(28)) == 28 * 28
    assert pixels_read(small, crop(3000)) == 28 * 28 * 16


def test_what_a_caller_asks_for_comes_first() -> None:
    assert pixels_read(preparer(), crop(3000, max_pixels=50_176)) == 50_176
    assert pixels_read(preparer(), crop(28, min_pixels=200_704)) == 200_704
    assert pixels_read(preparer(), crop(28, max_pixels=28 * 28)) == 28 * 28


def test_a_draft_of_any_length_is_looked_at_as_far_as_a_region_goes() -> None:
    assert len(preparer().prepare(crop(40, draft="1" * 10), Task.OCR).draft) == 11
    assert (
        len(preparer().prepare(crop(40, draft="1" * 3 * MAX_DRAFT_CHARACTERS), Task.OCR).draft)
        == MAX_DRAFT_CHARACTERS + 1
    )
