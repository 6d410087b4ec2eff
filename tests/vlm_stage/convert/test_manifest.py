"""The manifest of a converted model, and what is wrong with its folder."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from arcscribe.errors import ModelMissing
from tests.vlm_stage.convert.conversions import converted
from vlm_stage.engines.paddleocr_vl.load import load_paddleocr_vl
from vlm_stage.engines.paddleocr_vl.manifest import check_files, read_manifest
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"format": 2},
            "a converted model of format 2, and this version reads format 1; run: arcscribe models",
        ),
        ({"parameters": "many"}, "is damaged"),
        ({"precisions": {"vision": "int3", "embeddings": "int8", "decoder": "int8"}}, "is damaged"),
    ],
)
def test_a_manifest_that_cannot_be_followed_is_refused(
    change: dict[str, Any], words: str, fp32: Path, tmp_path: Path
) -> None:
    content = json.loads((fp32 / "arcscribe.json").read_bytes()) | change
    (tmp_path / "arcscribe.json").write_text(json.dumps(content))
    with pytest.raises(ModelMissing, match=words):
        read_manifest(tmp_path)


def test_a_folder_without_its_files_is_refused(toy: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"is not a converted model: it has no arcscribe.json"):
        read_manifest(tmp_path)
    out = converted(toy, tmp_path / "out")
    with (out / "vision.bin").open("ab") as file:
        file.write(b"x")
    with pytest.raises(
        ModelMissing, match=r"vision.bin has \d+ bytes, not \d+; run: arcscribe models convert"
    ):
        read_manifest(out)
    (out / "vision.bin").unlink()
    with pytest.raises(ModelMissing, match=r"vision.bin is not there"):
        read_manifest(out)


def test_a_file_that_changed_and_kept_its_length_is_damaged(toy: Path, tmp_path: Path) -> None:
    out = converted(toy, tmp_path / "out")
    manifest = read_manifest(out)
    check_files(out, manifest)
    content = bytearray((out / "decoder.bin").read_bytes())
    content[5000] ^= 64
    (out / "decoder.bin").write_bytes(content)
    os.utime(out / "decoder.bin", (0, 0))
    with pytest.raises(ModelMissing, match=r"decoder\.bin is damaged; run: arcscribe models convert"):
        check_files(out, manifest)
    with pytest.raises(ModelMissing, match=r"decoder\.bin is damaged"):
        load_paddleocr_vl(PaddleOcrVlSettings(model=str(out)), tmp_path)


def test_a_manifest_that_was_edited_is_refused_and_one_without_its_record_is_not(
    fp32: Path, tmp_path: Path
) -> None:
    out = Path(shutil.copytree(fp32, tmp_path / "out"))
    check_files(out, read_manifest(out))
    path = out / "arcscribe.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"name": "another"}))
    with pytest.raises(ModelMissing, match=r"json was changed after the conversion; run: arcscribe models"):
        load_paddleocr_vl(PaddleOcrVlSettings(model=str(out)), tmp_path)
    for record in out.glob(".*.record"):
        record.unlink()
    check_files(out, read_manifest(out))
