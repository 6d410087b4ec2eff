"""A model's tokenizer, which must be that of its networks."""

from pathlib import Path

from arcscribe.models.converted import unusable
from vlm_stage.engines.paddleocr_vl.inputs.prompts import IMAGE_TOKEN
from vlm_stage.engines.paddleocr_vl.inputs.tokenizer import TextTokenizer
from vlm_stage.engines.paddleocr_vl.model_config import ModelConfig


def read_tokenizer(path: Path, config: ModelConfig) -> TextTokenizer:
    """The tokenizer of a `tokenizer.json` that lies beside networks of these sizes.

    Raises:
        ModelMissing: the file is not there, not a tokenizer, or that of another model, whose ids have no
            embeddings here.
    """
    tokenizer = TextTokenizer.from_file(path)
    if difference := find_difference(tokenizer, config, "the networks"):
        raise unusable(path.parent, f"{path} {difference}: these files are of different models")
    return tokenizer


def find_difference(tokenizer: TextTokenizer, config: ModelConfig, sizes: str) -> str | None:
    """In what a tokenizer differs from that of a model, as the end of a sentence; None where in nothing.

    `sizes` is what the configuration comes from, in words.

    Raises:
        ModelMissing: the tokenizer knows no image.
    """
    image, last, vocabulary = tokenizer.token_id(IMAGE_TOKEN), tokenizer.last_id, config.text.vocab_size
    if image != config.image_token_id:
        return f"has {IMAGE_TOKEN} as {image}, and {sizes} as {config.image_token_id}"
    if last >= vocabulary:
        return f"has tokens up to {last}, and {sizes} {vocabulary} from 0 on"
    return None
