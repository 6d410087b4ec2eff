"""A tokenizer that is another model's is told when the model is loaded, not by the first crop."""

from pathlib import Path

import msgspec
import pytest

from arcscribe.errors import ModelMissing
from samples.checkpoints.checkpoint import TOY
from samples.checkpoints.token_ids import TOY_IDS
from samples.checkpoints.tokenizer import write_tokenizer
from vlm_stage.engines.paddleocr_vl.inputs.read_tokenizer import read_tokenizer
from vlm_stage.engines.paddleocr_vl.manifest import TOKENIZER

VOCABULARY = TOY.text.vocab_size


def test_a_tokenizer_may_have_fewer_tokens_than_the_networks(tmp_path: Path) -> None:
    write_tokenizer(tmp_path, VOCABULARY - 1)
    assert read_tokenizer(tmp_path / TOKENIZER, TOY).last_id == VOCABULARY - 2


def test_tokens_beyond_the_vocabulary_are_refused(tmp_path: Path) -> None:
    write_tokenizer(tmp_path, VOCABULARY + 1)
    words = f"has tokens up to {VOCABULARY}, and the networks {VOCABULARY} from 0 on: these files are of diff"
    with pytest.raises(ModelMissing, match=words):
        read_tokenizer(tmp_path / TOKENIZER, TOY)


@pytest.mark.parametrize("image", [TOY_IDS.image + 1, VOCABULARY])
def test_an_image_token_that_the_tokenizer_does_not_have_there_is_refused(tmp_path: Path, image: int) -> None:
    write_tokenizer(tmp_path, VOCABULARY)
    words = rf"has <\|IMAGE_PLACEHOLDER\|> as {TOY_IDS.image}, and the networks as {image}: these files are"
    with pytest.raises(ModelMissing, match=words) as caught:
        read_tokenizer(tmp_path / TOKENIZER, msgspec.structs.replace(TOY, image_token_id=image))
    assert caught.value.details["command"].startswith("arcscribe models convert")
