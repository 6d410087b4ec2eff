from pathlib import Path

import pytest

from arcscribe.errors import DeviceMissing, InvalidConfig, ModelMissing
from arcscribe.models.converted import MANIFEST
from arcscribe.models.store import ModelStore
from vlm_stage.engines.load import PP_OCR, check_engine, load_engine
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings
from vlm_stage.settings import VlmSettings


def test_an_unknown_engine_is_refused_with_the_names_of_those_there_are(tmp_path: Path) -> None:
    settings = VlmSettings(engine="pp-ocrv9")
    with pytest.raises(InvalidConfig, match="paddleocr-vl, pp-ocrv6, pp-ocrv6-tiny"):
        load_engine(settings, tmp_path)
    with pytest.raises(InvalidConfig, match="pp-ocrv6-tiny"):
        check_engine(settings, ModelStore(tmp_path))


@pytest.mark.parametrize("name", PP_OCR)
def test_a_missing_model_names_the_command_that_fetches_it(name: str, tmp_path: Path) -> None:
    settings = VlmSettings(engine=name)
    with pytest.raises(ModelMissing) as caught:
        load_engine(settings, tmp_path)
    assert "arcscribe models pull" in caught.value.details["command"]
    with pytest.raises(ModelMissing) as caught:
        check_engine(settings, ModelStore(tmp_path))
    group = "embedded" if name == "pp-ocrv6" else name
    assert caught.value.details["command"] == f"arcscribe models pull {group}"


def test_a_file_that_is_no_model_is_named(tmp_path: Path) -> None:
    path = tmp_path / PP_OCR["pp-ocrv6"].recognizer
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not a network")
    with pytest.raises(ModelMissing, match=path.name):
        load_engine(VlmSettings(engine="pp-ocrv6"), tmp_path)


def vlm(**settings: object) -> VlmSettings:
    return VlmSettings(engine="paddleocr-vl", paddleocr_vl=PaddleOcrVlSettings(**settings))  # type: ignore[arg-type]


def test_a_converted_model_that_is_absent_names_the_commands_that_bring_it(tmp_path: Path) -> None:
    commands = {
        "paddleocr-vl-1.5-int4": "paddleocr-vl-1.5"
        " && arcscribe models convert paddleocr-vl-1.5 --precision int4",
        "paddleocr-vl-0.9b-fp16": "paddleocr-vl-0.9b --allow-unpinned"
        " && arcscribe models convert paddleocr-vl-0.9b --precision fp16",
    }
    for model, command in commands.items():
        with pytest.raises(ModelMissing) as caught:
            check_engine(vlm(model=model), ModelStore(tmp_path))
        expected = f"{tmp_path}/{model} is not there; run: arcscribe models pull {command}"
        assert caught.value.message == expected


def test_a_converted_model_that_is_absent_names_those_that_are_there(tmp_path: Path) -> None:
    for name in ("another-int4", "toy-int8"):
        (tmp_path / name).mkdir()
        (tmp_path / name / MANIFEST).write_text("{}")
    with pytest.raises(ModelMissing) as caught:
        check_engine(vlm(), ModelStore(tmp_path))
    assert caught.value.message.endswith("; or let `model` be one that is there: another-int4, toy-int8")
    assert caught.value.details["command"].startswith("arcscribe models pull paddleocr-vl-1.6 && ")


def test_a_device_that_is_absent_is_told_with_what_openvino_sees(tmp_path: Path) -> None:
    folder = tmp_path / "converted"
    folder.mkdir()
    with pytest.raises(DeviceMissing, match=r"no device GPU\.7; it sees: .*CPU"):
        check_engine(vlm(model=str(folder), devices=("CPU", "GPU.7")), ModelStore(tmp_path))


def test_a_cache_that_is_a_file_is_told_before_anything_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "converted").mkdir()
    (tmp_path / "cache").write_text("")
    settings = vlm(model=str(tmp_path / "converted"), cache_dir=str(tmp_path / "cache"))
    with pytest.raises(InvalidConfig, match=r"^cache_dir = .* it is a file$"):
        check_engine(settings, ModelStore(tmp_path))
