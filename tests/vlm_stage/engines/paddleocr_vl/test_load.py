"""What is found, and told, when a converted model is loaded."""

import shutil
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from arcscribe.errors import ModelMissing
from samples.checkpoints.checkpoint import TOY, write_checkpoint
from samples.checkpoints.tokenizer import write_tokenizer
from tests.vlm_stage.convert.conversions import converted
from tests.vlm_stage.verify.spoiling import replace_file
from vlm_stage.engines.paddleocr_vl.load import load_paddleocr_vl
from vlm_stage.engines.paddleocr_vl.manifest import TOKENIZER
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("load")
    write_checkpoint(folder / "toy")
    return converted(folder / "toy", folder / "fp32")


def test_the_log_says_how_much_the_cache_holds(model: Path) -> None:
    with capture_logs() as logged:
        load_paddleocr_vl(PaddleOcrVlSettings(model=str(model), kv_memory_mb=4), model).close(1)
    (entry,) = [entry for entry in logged if entry["event"] == "kv cache ready"]
    text = TOY.text
    bytes_per_token = 2 * 4 * text.num_hidden_layers * text.num_key_value_heads * text.head_dim
    assert 0.9 < entry["tokens"] * bytes_per_token / 4e6 <= 1
    assert entry["tokens"] % entry["blocks"] == 0
    assert (entry["device"], entry["megabytes"], entry["precision"]) == ("CPU", 4, "f32")


def test_a_model_put_together_of_two_is_not_loaded(model: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(model, tmp_path / "model"))
    write_tokenizer(tmp_path / "other", TOY.text.vocab_size + 1)
    replace_file(folder, TOKENIZER, (tmp_path / "other" / TOKENIZER).read_bytes())
    with pytest.raises(ModelMissing, match=r"tokenizer\.json has tokens up to"):
        load_paddleocr_vl(PaddleOcrVlSettings(model=str(folder)), tmp_path)
