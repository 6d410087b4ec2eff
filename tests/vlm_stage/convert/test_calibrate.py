"""INT8 arithmetic for the vision encoder, by pictures."""

from pathlib import Path
from typing import Any

import openvino as ov
import pytest
from PIL import Image

from arcscribe.errors import ArcscribeError, InvalidOption
from tests.vlm_stage.convert.conversions import (
    FP16,
    FP32,
    INT4,
    INT8,
    converted,
    crop,
    image_tokens,
    likeness,
)
from vlm_stage.engines.paddleocr_vl.conversion.calibrate import MOST_PICTURES, find_pictures
from vlm_stage.engines.paddleocr_vl.manifest import VISION, NetworkPrecision, Precisions, read_manifest


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three pictures, and a file that is none."""
    folder = tmp_path_factory.mktemp("pictures")
    for index in range(3):
        Image.fromarray(crop(index)).save(folder / f"{index}.png")
    (folder / "notes.txt").touch()
    return folder


def test_pictures_calibrate_the_vision_encoder(toy: Path, fp32: Path, pictures: Path, tmp_path: Path) -> None:
    out = converted(toy, tmp_path / "out", INT4, pictures=(pictures, pictures / "0.png"))
    manifest = read_manifest(out)
    assert manifest.precisions == Precisions(NetworkPrecision.INT8_CALIBRATED, INT8, INT4)
    assert manifest.pictures == 4
    quantised = [
        n for n in ov.Core().read_model(out / VISION).get_ops() if n.get_type_name() == "FakeQuantize"
    ]
    assert quantised
    assert likeness(image_tokens(out, crop(9)), image_tokens(fp32, crop(9))) > 0.9


@pytest.mark.parametrize(
    "options", [{"precision": FP16}, {"precision": FP32}, {"precision": INT8, "vision": FP16}]
)
def test_pictures_go_with_integers_only(
    options: dict[str, Any], toy: Path, pictures: Path, tmp_path: Path
) -> None:
    with pytest.raises(InvalidOption, match="pictures calibrate INT8"):
        converted(toy, tmp_path / "out", pictures=(pictures,), **options)


@pytest.mark.parametrize(
    ("paths", "words"), [(["nowhere"], "nowhere is not there"), (["."], "no picture in")]
)
def test_calibration_without_pictures_is_refused(
    paths: list[str], words: str, toy: Path, tmp_path: Path
) -> None:
    with pytest.raises(InvalidOption, match=words):
        converted(toy, tmp_path / "out", INT8, pictures=tuple(tmp_path / path for path in paths))


def test_a_picture_that_cannot_be_read_is_named_and_leaves_nothing(toy: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"no picture")
    with pytest.raises(ArcscribeError, match=r"broken.png cannot be read as a picture"):
        converted(toy, tmp_path / "out", INT8, pictures=(tmp_path / "broken.png",))
    assert [path.name for path in tmp_path.iterdir()] == ["broken.png"]


def test_of_many_pictures_some_are_taken_from_everywhere(tmp_path: Path) -> None:
    for index in range(MOST_PICTURES * 2):
        (tmp_path / f"{index:04}.PNG").touch()
    found = find_pictures([tmp_path])
    assert len(set(found)) == MOST_PICTURES
    assert (found[0].name, found[-1].name) == ("0000.PNG", f"{MOST_PICTURES * 2 - 1:04}.PNG")
