"""A checkpoint's folder, opened: all that it says, and where its weights lie."""

from dataclasses import dataclass
from pathlib import Path

from arcscribe.errors import InvalidOption, ModelMissing
from vlm_stage.convert.chat_template import read_chat_template
from vlm_stage.convert.image_settings import read_image_settings
from vlm_stage.convert.read_config import read_config
from vlm_stage.convert.validate import check_tensors
from vlm_stage.convert.weights import Weights, open_weights
from vlm_stage.engines.paddleocr_vl.inputs.images import ImageSettings
from vlm_stage.engines.paddleocr_vl.inputs.prompts import ChatTemplate
from vlm_stage.engines.paddleocr_vl.inputs.read_tokenizer import find_difference
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer
from vlm_stage.engines.paddleocr_vl.manifest import TOKENIZER
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A whole checkpoint, whose weights have not been read. `parameters` are those in use."""

    folder: Path
    config: ModelConfig
    weights: Weights
    parameters: int
    template: ChatTemplate
    images: ImageSettings


def open_checkpoint(folder: Path, version: str) -> Checkpoint:
    """The checkpoint in a folder; `version` decides the chat template where the folder has none.

    Raises:
        InvalidOption: there is no folder, or it is not a PaddleOCR-VL's.
        ModelMissing: it is not whole.
    """
    if not folder.is_dir():
        raise InvalidOption(f"there is no folder {folder}", field="checkpoint")
    try:
        weights = open_weights(folder)
    except ModelMissing:
        read_config(folder, {})  # another model's folder is told as such, whatever weights it has
        raise
    config = read_config(folder, weights.tensors)
    parameters = check_tensors(folder, config, weights)
    _check_tokenizer(folder / TOKENIZER, config)
    template, images = read_chat_template(folder, version), read_image_settings(folder)
    _check_patches(folder, config, images)
    return Checkpoint(folder, config, weights, parameters, template, images)


def _check_tokenizer(path: Path, config: ModelConfig) -> None:
    if not path.is_file():
        raise ModelMissing(f"{path} is not there")
    if difference := find_difference(TextTokenizer.from_file(path), config, "config.json"):
        raise _different(f"{path} {difference}")


def _check_patches(folder: Path, config: ModelConfig, images: ImageSettings) -> None:
    """Images are cut up by one file, and the encoder that takes the parts is built by the other."""
    cut = images.patch_size, images.merge_size
    taken = config.vision.patch_size, config.vision.spatial_merge_size
    if cut != taken:
        raise _different(
            f"{folder}: images are cut into patches of {cut[0]} pixels, merged by {cut[1]}, and config.json"
            f" has {taken[0]} and {taken[1]}"
        )


def _different(found: str) -> InvalidOption:
    return InvalidOption(f"{found}: these files are of different models", field="checkpoint")
