"""Which engine reads, and what the processes are told of it."""

from pathlib import Path

import pytest

from arcscribe.errors import InvalidOption
from arcscribe.models import ModelStore
from arcscribe.models.converted import MANIFEST
from arcscribe.tools.engines import (
    PRODUCT_MODEL,
    Draft,
    EmbeddedEngine,
    EngineChoice,
    EngineName,
    checked,
    choose_engine,
    local_settings,
    missing_vlm,
    served_engines,
)
from arcscribe.tools.local_service import LocalSettings


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "store")


def put_converted(store: ModelStore, *names: str) -> None:
    for name in names:
        (store.root / name).mkdir(parents=True)
        (store.root / name / MANIFEST).write_text("{}")


def test_without_a_converted_model_the_embedded_engine_reads(store: ModelStore) -> None:
    assert choose_engine(store, None) == EngineChoice(EngineName.PP_OCRV6)
    assert missing_vlm(store) == (
        "pp-ocrv6 read this, as no PaddleOCR-VL is here; to have it: "
        "arcscribe models pull paddleocr-vl-1.6 && arcscribe models convert paddleocr-vl-1.6"
    )


def test_with_a_converted_model_it_reads_unless_another_engine_is_named(store: ModelStore) -> None:
    put_converted(store, "paddleocr-vl-1.5-int4")
    assert choose_engine(store, None) == EngineChoice(EngineName.PADDLEOCR_VL, "paddleocr-vl-1.5-int4")
    assert choose_engine(store, EngineName.PP_OCRV5) == EngineChoice(EngineName.PP_OCRV5)


@pytest.mark.parametrize(
    ("there", "best"),
    [
        (["paddleocr-vl-1.5-int8", PRODUCT_MODEL, "toy"], PRODUCT_MODEL),
        (["paddleocr-vl-1.5-int8", "paddleocr-vl-0.9b-int8", "toy"], "paddleocr-vl-1.5-int8"),
        (["paddleocr-vl-1.6-fp16", "paddleocr-vl-1.5-int8"], "paddleocr-vl-1.6-fp16"),
        (["mine", "toy"], "toy"),
    ],
)
def test_of_several_models_the_products_own_is_taken(store: ModelStore, there: list[str], best: str) -> None:
    put_converted(store, *there)
    assert choose_engine(store, EngineName.PADDLEOCR_VL).model == best


def test_a_model_that_is_named_is_a_name_in_the_store_or_a_folder(
    store: ModelStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_converted(store, "mine")
    for name in ("mine", "elsewhere"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    chosen = [choose_engine(store, None, model).model for model in ("mine", "elsewhere", "absent")]
    assert chosen == ["mine", f"{tmp_path}/elsewhere", "absent"]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (EngineChoice(EngineName.PP_OCRV6, "a-model"), "pp-ocrv6 has its own"),
        (EngineChoice(EngineName.PP_OCRV5, draft=Draft.PP_OCR), "pp-ocrv5 reads without"),
        (EngineChoice(EngineName.PP_OCRV6, devices=("GPU.0", "GPU.1")), "not for pp-ocrv6"),
    ],
)
def test_what_an_engine_does_not_have_is_refused(choice: EngineChoice, words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        checked(choice)


def test_an_embedded_engine_is_told_to_both_stages() -> None:
    settings = local_settings(EmbeddedEngine.PP_OCRV5)
    assert (settings.layout, settings.vlm) == ({"text_detection": "pp-ocrv5-det"}, {"engine": "pp-ocrv5"})
    assert (settings.orchestrator, settings.drafts) == ({}, None)
    on_gpu = local_settings(EngineChoice(EngineName.PP_OCRV6, devices=("GPU",)))
    assert on_gpu.vlm == {"engine": "pp-ocrv6", "openvino": {"device": "GPU"}}


def test_paddleocr_vl_is_told_its_model_and_devices_and_has_time() -> None:
    settings = local_settings(EngineChoice(EngineName.PADDLEOCR_VL, "mine", ("GPU.0", "GPU.1")))
    assert settings.layout == {"text_detection": "pp-ocrv6-det"}
    assert settings.vlm == {
        "engine": "paddleocr-vl",
        "paddleocr_vl": {"model": "mine", "devices": ["GPU.0", "GPU.1"]},
    }
    assert settings.orchestrator == {"vlm": {"timeout_seconds": 3600.0}}
    assert settings.drafts is None


def test_drafts_are_one_more_process_with_the_default_engine() -> None:
    base = LocalSettings(drafts={"openvino": {"threads": 1}})
    choice = EngineChoice(EngineName.PADDLEOCR_VL, draft=Draft.PP_OCR)
    assert local_settings(choice, base).drafts == {"engine": "pp-ocrv6", "openvino": {"threads": 1}}
    assert local_settings(EngineName.PADDLEOCR_VL, base).drafts is None


def test_what_a_file_says_goes_before() -> None:
    base = LocalSettings(layout={"text_detection": "mine"}, vlm={"paddleocr_vl": {"model": "mine"}})
    settings = local_settings(EngineName.PADDLEOCR_VL, base)
    assert settings.layout == {"text_detection": "mine"}
    assert settings.vlm == {"engine": "paddleocr-vl", "paddleocr_vl": {"model": "mine"}}


def test_what_a_service_serves_with_is_told_in_words() -> None:
    assert served_engines(local_settings(EngineName.PP_OCRV5)) == "regions by layout-cdla, read by pp-ocrv5"
    base = LocalSettings(layout={"model": "pp-doclayout-v3"}, vlm={"paddleocr_vl": {"model": "mine"}})
    choice = EngineChoice(EngineName.PADDLEOCR_VL, draft=Draft.PP_OCR)
    assert served_engines(local_settings(choice, base)) == (
        "regions by pp-doclayout-v3, read by paddleocr-vl with mine, drafts by pp-ocrv6"
    )


def test_every_embedded_engine_is_an_engine() -> None:
    assert {str(engine) for engine in EmbeddedEngine} | {"paddleocr-vl"} == {str(name) for name in EngineName}
