"""A crop as the networks take it: patches, a prompt, positions, and the tokens of its draft."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcscribe.types import Crop
from vlm_stage.engines.paddleocr_vl.drafts.drafter import draft_tokens
from vlm_stage.engines.paddleocr_vl.inputs.crop_views import view_for
from vlm_stage.engines.paddleocr_vl.inputs.images import ImageSettings, Patches, patchify
from vlm_stage.engines.paddleocr_vl.inputs.prompts import (
    MIN_PIXELS,
    ChatTemplate,
    Prompt,
    Task,
    build_prompt,
    max_pixels,
)
from vlm_stage.engines.paddleocr_vl.inputs.rope_positions import prompt_positions
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig

MAX_DRAFT_CHARACTERS = 100_000
"""Of a draft, as far as it is looked at: more than a region holds, and each costs time and memory."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedCrop:
    """`positions` is int64 (3, T) of the prompt's tokens; that of token i after it is i + `delta` on all
    axes."""

    patches: Patches
    prompt: Prompt
    positions: NDArray[np.int64]
    delta: int
    draft: tuple[int, ...]


class CropPreparer:
    """What a model's own files say of crops and prompts. May be used by several threads."""

    def __init__(
        self, tokenizer: TextTokenizer, template: ChatTemplate, images: ImageSettings, config: ModelConfig
    ) -> None:
        self._tokenizer, self._template, self._images, self._config = tokenizer, template, images, config

    def prepare(self, crop: Crop, prompt_text: str) -> PreparedCrop:
        """A crop, asked with that prompt.

        Raises:
            InvalidDocument: the crop has no pixels.
            TooLarge: it is too long for its width, or the other way round.
        """
        least, most = self._pixel_limits(crop, prompt_text)
        patches = patchify(view_for(crop.pixels, prompt_text), self._images, most, least)
        tokens = patches.rows * patches.columns // self._images.merge_size**2
        prompt = build_prompt(self._tokenizer, self._template, prompt_text, tokens)
        positions = prompt_positions(
            prompt.image_start, patches.rows, patches.columns, prompt.after_image, self._images.merge_size
        )
        return PreparedCrop(patches, prompt, positions.ids, positions.delta, self._draft(crop))

    def _pixel_limits(self, crop: Crop, prompt_text: str) -> tuple[int, int]:
        """Those asked for; else those of the task, but for a checkpoint that was made for smaller
        pictures."""
        options, images = crop.options, self._images
        least = options.min_pixels or min(MIN_PIXELS, images.min_pixels)
        if prompt_text == Task.SPOTTING:
            most = max_pixels(Task.SPOTTING)
        else:
            most = min(max_pixels(Task.OCR), images.max_pixels)
        most = options.max_pixels or most
        return min(least, most), most

    def _draft(self, crop: Crop) -> tuple[int, ...]:
        tokenizer, end = self._tokenizer, self._config.eos_token_id
        return draft_tokens(
            crop.draft[:MAX_DRAFT_CHARACTERS], tokenizer.encode, end, self._template.after_prompt
        )
