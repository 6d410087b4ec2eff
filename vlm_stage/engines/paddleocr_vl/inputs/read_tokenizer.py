"""A converted model's tokenizer, which must be that of its networks."""

from pathlib import Path

from arcscribe.errors import ModelMissing
from arcscribe.models.converted import CONVERT_AGAIN
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
    vocabulary, image = config.text.vocab_size, tokenizer.token_id(IMAGE_TOKEN)
    if tokenizer.last_id >= vocabulary:
        raise _of_another_model(
            f"{path} has tokens up to {tokenizer.last_id}, and the networks {vocabulary} from 0 on"
        )
    if image != config.image_token_id:
        raise _of_another_model(f"{path} has {IMAGE_TOKEN} as {image}, and the model {config.image_token_id}")
    return tokenizer


def _of_another_model(found: str) -> ModelMissing:
    return ModelMissing(
        f"{found}: these files are of different models; run: {CONVERT_AGAIN}", command=CONVERT_AGAIN
    )
