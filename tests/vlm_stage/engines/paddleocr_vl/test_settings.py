"""The table `[paddleocr_vl]`, as a file holds it."""

from pathlib import Path

import msgspec
import pytest

from arcscribe.config import load_settings
from arcscribe.errors import InvalidConfig, ModelMissing
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings
from vlm_stage.settings import VlmSettings


def decoded(toml: str) -> PaddleOcrVlSettings:
    return msgspec.toml.decode(f"[paddleocr_vl]\n{toml}", type=VlmSettings).paddleocr_vl


def test_what_a_file_says_replaces_the_defaults() -> None:
    settings = decoded('devices = ["GPU.0", "GPU.1"]\nkv_precision = "f16"\npatch_buckets = [256, 512]')
    assert (settings.devices, settings.kv_precision) == (("GPU.0", "GPU.1"), "f16")
    assert settings.patch_buckets == (256, 512)
    assert settings.model == PaddleOcrVlSettings().model


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("devices = []", "length >= 1"),
        ('devices = ["CPU", "CPU"]', "a device is named twice: CPU, CPU"),
        ("token_budget = 8", "token_budget is 8, less than max_sequences, 16"),
        ("max_sequences = 0", "`int` >= 1"),
        ("patch_buckets = [256, 258]", "multiples of 4"),
        ("patch_buckets = [512, 256]", "must grow"),
        ("patch_buckets = [256, 256]", "must grow"),
        ('kv_precision = "f12"', "f12"),
        ("draft_tokens = -1", "`int` >= 0"),
        ("draft_tokens = 257", "`int` <= 256"),
        ("temperature = 1.0", "unknown field `temperature`"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(tmp_path: Path, toml: str, words: str) -> None:
    path = tmp_path / "vlm.toml"
    path.write_text(f"[paddleocr_vl]\n{toml}\n")
    with pytest.raises(InvalidConfig, match=words):
        load_settings(path, VlmSettings)


def test_a_cache_may_be_kept_in_bfloat16() -> None:
    assert decoded('kv_precision = "bf16"').kv_precision == "bf16"


def test_a_model_is_a_name_in_the_store_or_a_folder(tmp_path: Path) -> None:
    store, elsewhere = tmp_path / "store", tmp_path / "elsewhere"
    (store / "mine").mkdir(parents=True)
    elsewhere.mkdir()
    assert PaddleOcrVlSettings(model="mine").folder(store) == store / "mine"
    assert PaddleOcrVlSettings(model=str(elsewhere)).folder(store) == elsewhere


def test_a_folder_here_is_taken_where_the_store_has_none_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here" / "mine").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    assert PaddleOcrVlSettings(model="./mine").folder(tmp_path / "store") == Path("mine")
    assert PaddleOcrVlSettings(model="mine").folder(tmp_path / "store") == Path("mine")
    (tmp_path / "store" / "mine").mkdir(parents=True)
    assert PaddleOcrVlSettings(model="mine").folder(tmp_path / "store") == tmp_path / "store" / "mine"
    assert PaddleOcrVlSettings(model="./mine").folder(tmp_path / "store") == Path("mine")


def test_a_folder_in_the_users_home_may_be_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "converted").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    assert PaddleOcrVlSettings(model="~/converted").folder(tmp_path / "store") == tmp_path / "converted"


@pytest.mark.parametrize("model", ["elsewhere/converted", "mine", "mine-int8x"])
def test_who_names_a_model_of_unknown_origin_is_told_how_to_see_which_there_are(
    tmp_path: Path, model: str
) -> None:
    with pytest.raises(ModelMissing) as caught:
        PaddleOcrVlSettings(model=model).folder(tmp_path)
    assert caught.value.details["command"] == "arcscribe models list"
