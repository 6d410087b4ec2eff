"""Which published model a checkpoint is."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from arcscribe.models import load_catalog
from arcscribe.models.files import sha256_of
from samples.checkpoints.chat_templates import CHAT_TEMPLATE_1
from tests.vlm_stage.convert.conversions import converted
from vlm_stage.engines.paddleocr_vl.manifest import read_manifest


def test_a_published_model_is_known_by_its_name_or_its_hash(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vlm_stage.convert.validate.PUBLISHED_PARAMETERS", 438_848)
    manifest = read_manifest(converted(toy, tmp_path / "named", name="paddleocr-vl-0.9b"))
    assert (manifest.name, manifest.version) == ("paddleocr-vl-0.9b", "1.0")
    catalog = load_catalog()
    model = catalog.models["paddleocr-vl-1.5"]
    digest = sha256_of(toy / "model.safetensors")
    files = tuple(replace(f, sha256=digest) if f.name == "model.safetensors" else f for f in model.files)
    known = replace(catalog, models=catalog.models | {"paddleocr-vl-1.5": replace(model, files=files)})
    monkeypatch.setattr("vlm_stage.convert.convert.load_catalog", lambda: known)
    manifest = read_manifest(converted(toy, tmp_path / "hashed"))
    assert (manifest.name, manifest.version) == ("paddleocr-vl-1.5", "1.5")


def test_a_checkpoint_without_a_template_gets_that_of_its_version(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vlm_stage.convert.validate.PUBLISHED_PARAMETERS", 438_848)
    (checkpoint / "chat_template.jinja").unlink()
    out = converted(checkpoint, tmp_path / "one", name="paddleocr-vl-0.9b")
    assert read_manifest(out).template.after_prompt == "\nAssistant: "
    assert read_manifest(converted(checkpoint, tmp_path / "two")).template.after_prompt == "\nAssistant:\n"
    (checkpoint / "chat_template.jinja").write_text(CHAT_TEMPLATE_1)
    assert read_manifest(converted(checkpoint, tmp_path / "three")).template.after_prompt == "\nAssistant: "
