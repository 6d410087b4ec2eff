from pathlib import Path

import pytest

from arcscribe.errors import InvalidConfig, ModelMissing
from arcscribe.inference.openvino import OpenVinoSettings
from vlm_stage.engines.load import PP_OCR, load_engine


def test_an_unknown_engine_is_refused_with_the_names_of_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match="pp-ocrv6-tiny"):
        load_engine("pp-ocrv9", tmp_path, OpenVinoSettings())


@pytest.mark.parametrize("name", PP_OCR)
def test_a_missing_model_names_the_command_that_fetches_it(name: str, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing) as caught:
        load_engine(name, tmp_path, OpenVinoSettings())
    assert "arcscribe models pull" in caught.value.details["command"]


def test_a_file_that_is_no_model_is_named(tmp_path: Path) -> None:
    path = tmp_path / PP_OCR["pp-ocrv6"].recognizer
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not a network")
    with pytest.raises(ModelMissing, match=path.name):
        load_engine("pp-ocrv6", tmp_path, OpenVinoSettings())
