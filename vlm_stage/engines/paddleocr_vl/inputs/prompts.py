"""What the model is asked about a crop, and the tokens in which it is asked."""

from dataclasses import dataclass
from enum import StrEnum

import msgspec
import numpy as np
from numpy.typing import NDArray

from arcscribe.errors import InvalidOption
from arcscribe.types import RegionKind
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer

IMAGE_TOKEN = "<|IMAGE_PLACEHOLDER|>"

MIN_PIXELS = 112_896
"""The least at which a crop is read, whatever the task (paddlex 3.7.2, `pipelines/paddleocr_vl`).

Like `max_pixels`, it comes before what the checkpoint says, as it does there: the first version's takes
147,384 to 2,822,400 pixels, which is more than twice the tokens for a large crop.
"""


class Task(StrEnum):
    """What the model was trained to do; the value is the prompt (paddlex 3.7.2)."""

    OCR = "OCR:"
    TABLE = "Table Recognition:"
    FORMULA = "Formula Recognition:"
    CHART = "Chart Recognition:"
    SEAL = "Seal Recognition:"
    SPOTTING = "Spotting:"
    """Text with the places of its lines, as `<|LOC_n|>`: special tokens, which here are part of the text."""


_TASKS: dict[RegionKind, Task | None] = {
    RegionKind.TABLE: Task.TABLE,
    RegionKind.FORMULA: Task.FORMULA,
    RegionKind.CHART: Task.CHART,
    RegionKind.SEAL: Task.SEAL,
    RegionKind.IMAGE: None,
    RegionKind.HEADER_IMAGE: None,
    RegionKind.FOOTER_IMAGE: None,
}


def task_of(kind: RegionKind) -> Task | None:
    """What is done with a region of that kind; None where it stays a picture and is not read."""
    return _TASKS.get(kind, Task.OCR)


_PROMPTS = frozenset[str](Task)

_KINDS: dict[str, RegionKind] = {
    Task.TABLE: RegionKind.TABLE,
    Task.FORMULA: RegionKind.FORMULA,
    Task.CHART: RegionKind.CHART,
}
"""Tasks that are answered in a notation of their own, with the kind that is written in it."""

_AS_TEXT = {
    RegionKind.TABLE: RegionKind.TEXT,
    RegionKind.FORMULA: RegionKind.TEXT,
    RegionKind.CHART: RegionKind.IMAGE,
}
"""What those kinds are where text was asked for; a chart is a picture still."""


def composed_kind(prompt: str, kind: RegionKind) -> RegionKind:
    """The kind by which the answer to a prompt is read, where the region is of another.

    The answer goes by what was asked, as the table of a text is a table. Whether a region stays a picture
    goes by its kind, as long as text is asked for. Of a prompt that is no task's nothing is known, and the
    kind stands.
    """
    if prompt in _KINDS:
        return _KINDS[prompt]
    return _AS_TEXT.get(kind, kind) if prompt in _PROMPTS else kind


def max_pixels(task: Task) -> int:
    """The most pixels, after resizing, of an image for the task (paddlex 3.7.2, `pipelines/paddleocr_vl`)."""
    return 1_605_632 if task is Task.SPOTTING else 1_003_520


class ChatTemplate(msgspec.Struct, frozen=True):
    """The chat template, rendered at conversion: the text round the image's placeholder and the prompt."""

    before_image: str
    after_image: str
    after_prompt: str


@dataclass(frozen=True, slots=True, eq=False)
class Prompt:
    """A prompt: `ids`, int64 of shape (T,); `image_tokens` of them, from `image_start` on, are the image."""

    ids: NDArray[np.int64]
    image_start: int
    image_tokens: int

    @property
    def after_image(self) -> int:
        """How many tokens follow the image."""
        return len(self.ids) - self.image_start - self.image_tokens


def build_prompt(
    tokenizer: TextTokenizer, template: ChatTemplate, prompt_text: str, image_tokens: int
) -> Prompt:
    """The prompt for an image that takes so many tokens; equal to PaddleOCRVLProcessor's of transformers
    5.24.

    Raises:
        ModelMissing: the tokenizer knows no image.
        InvalidOption: the prompt holds the image's placeholder.
    """
    image = tokenizer.token_id(IMAGE_TOKEN)
    text = f"{template.before_image}{IMAGE_TOKEN}{template.after_image}{prompt_text}{template.after_prompt}"
    # Encoded with one placeholder, since a thousand would have to be taken apart again.
    ids = tokenizer.encode(text, add_special=True)
    if ids.count(image) != 1:
        raise InvalidOption(f"a prompt may not hold {IMAGE_TOKEN}", field="prompt")
    start = ids.index(image)
    repeated = ids[:start] + [image] * image_tokens + ids[start + 1 :]
    return Prompt(np.array(repeated, np.int64), start, image_tokens)
