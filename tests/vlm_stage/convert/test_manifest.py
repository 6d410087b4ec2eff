"""The manifest of a converted model, and what is wrong with its folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from arcscribe.errors import ModelMissing
from tests.vlm_stage.convert.conversions import converted
from vlm_stage.engines.paddleocr_vl.converted import read_manifest


@pytest.mark.parametrize(
    ("change", "told"),
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
    change: dict[str, Any], told: str, fp32: Path, tmp_path: Path
) -> None:
    content = json.loads((fp32 / "arcscribe.json").read_bytes()) | change
    (tmp_path / "arcscribe.json").write_text(json.dumps(content))
    with pytest.raises(ModelMissing, match=told):
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
