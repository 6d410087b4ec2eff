import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcscribe.errors import ModelMissing
from layout_stage.detection.inference_config import (
    Family,
    Interpolation,
    LayoutModelConfig,
    Normalisation,
    read_inference_config,
)
from tests.layout_stage.detection.reference import FIXTURES

GOOD = (FIXTURES / "plus_l" / "inference.yml").read_text(encoding="utf-8")


def read(folder: Path, text: str | bytes) -> LayoutModelConfig:
    (folder / "inference.yml").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_inference_config(folder)


def test_what_the_file_says_is_read() -> None:
    config = read_inference_config(FIXTURES / "plus_l")
    assert config.name == "PP-DocLayout_plus-L"
    assert (config.height, config.width, config.keep_ratio) == (800, 800, False)
    assert config.interpolation is Interpolation.BICUBIC
    assert config.normalisation == Normalisation(1 / 255, (0, 0, 0), (1, 1, 1))
    assert (len(config.labels), config.labels[0]) == (20, "paragraph_title")
    assert config.draw_threshold == 0.5


def test_picodet_has_imagenet_normalisation() -> None:
    config = read_inference_config(FIXTURES / "s")
    assert (config.height, config.width) == (480, 480)
    assert config.normalisation.mean == (0.485, 0.456, 0.406)
    assert config.normalisation.std == (0.229, 0.224, 0.225)


@pytest.mark.parametrize(
    ("folder", "family"),
    [
        ("s", Family.PICODET),
        ("m", Family.PICODET),
        ("l", Family.RT_DETR),
        ("plus_l", Family.RT_DETR),
        ("block", Family.RT_DETR),
        ("v2", Family.V2),
        ("v3", Family.V3),
    ],
)
def test_each_model_is_of_its_family(folder: str, family: Family) -> None:
    assert read_inference_config(FIXTURES / folder).family is family


def test_a_model_without_a_name_has_its_folders(tmp_path: Path) -> None:
    folder = tmp_path / "PP-DocLayoutV3_onnx"
    folder.mkdir()
    config = read(folder, GOOD.replace("  model_name: PP-DocLayout_plus-L", "  {}"))
    assert (config.name, config.family) == ("PP-DocLayoutV3_onnx", Family.V3)


@pytest.mark.parametrize(
    ("old", "new", "read_as"),
    [("interp: 2", "interp: 1", Interpolation.LINEAR), ("interp: 2", "interp: area", Interpolation.AREA)],
)
def test_interpolation_has_a_number_or_a_name(
    old: str, new: str, read_as: Interpolation, tmp_path: Path
) -> None:
    assert read(tmp_path, GOOD.replace(old, new)).interpolation is read_as


def test_height_is_before_width(tmp_path: Path) -> None:
    config = read(tmp_path, GOOD.replace("  - 800\n  - 800", "  - 640\n  - 480"))
    assert (config.height, config.width) == (640, 480)


def test_without_scaling_and_normalising_pixels_stay(tmp_path: Path) -> None:
    start, end = GOOD.index("- mean:"), GOOD.index("- type: Permute")
    assert read(tmp_path, GOOD[:start] + GOOD[end:]).normalisation == Normalisation(1, (0, 0, 0), (1, 1, 1))
    unscaled = GOOD.replace("norm_type: none", "is_scale: false")
    assert read(tmp_path, unscaled).normalisation.scale == 1


BROKEN: dict[str, Any] = {
    "no YAML": "\t{]",
    "empty": "",
    "a list": "- 1",
    "bytes": b"\xff\xfe\x00",
    "too large": GOOD + "#" * 100_000,
    "nested": "[" * 30_000,
    "blocks": "- " * 30_000,
    "bomb": "a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nlabel_list: [*c,*c]",
    "no arch": GOOD.replace("arch: DETR", ""),
    "an arch of another kind": GOOD.replace("arch: DETR", "arch: YOLOv3"),
    "a side of a million": GOOD.replace("- 800", "- 1000000"),
    "no side": GOOD.replace("- 800", "- 0"),
    "one side": GOOD.replace("  - 800\n  - 800", "  - 800"),
    "an unknown interpolation": GOOD.replace("interp: 2", "interp: 5"),
    "a misspelt interpolation": GOOD.replace("interp: 2", "interp: cubist"),
    "no labels": GOOD[: GOOD.index("label_list:")] + "label_list: []\n",
    "labels absent": GOOD[: GOOD.index("label_list:")],
    "thousands of labels": GOOD + "- text\n" * 3000,
    "a label that is a number": GOOD + "- 7\n",
    "a label that is a book": GOOD + "- " + "x" * 1000 + "\n",
    "a threshold over 1": GOOD.replace("draw_threshold: 0.5", "draw_threshold: 5"),
    "a threshold that is no number": GOOD.replace("draw_threshold: 0.5", "draw_threshold: .nan"),
    "a deviation of 0": GOOD.replace("- 1.0", "- 0.0"),
    "a mean that is no number": GOOD.replace("- 0.0", "- .nan"),
    "two means": GOOD.replace("- 0.0\n  - 0.0\n  - 0.0", "- 0.0\n  - 0.0"),
    "an unknown operation": GOOD.replace("type: Permute", "type: WarpAffine"),
    "no resizing": GOOD.replace("type: Resize", "type: Permute"),
    "another normalisation": GOOD.replace("norm_type: none", "norm_type: layer"),
    "a date that cannot be": GOOD + "day: 2020-13-45\n",
    "a number without digits": GOOD + "x: !!int ''\n",
    "a time that is none": GOOD + "x: !!timestamp noon\n",
    "an object of Python": GOOD + "x: !!python/object/apply:os.getcwd []\n",
    "an arch that is a book": GOOD.replace("arch: DETR", "arch: " + "x" * 50_000),
    "a name that is a book": GOOD.replace("PP-DocLayout_plus-L", "x" * 50_000),
    "a name that a terminal obeys": GOOD.replace("PP-DocLayout_plus-L", '"\\e[31m"'),
    "a label that a terminal obeys": GOOD + '- "\\e[31m"\n',
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_clear_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing) as error:
        read(tmp_path, BROKEN[name])
    assert str(tmp_path / "inference.yml") in error.value.message
    assert "\n" not in error.value.message
    assert len(error.value.message) < 400


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"inference\.yml: No such file"):
        read_inference_config(tmp_path)


def test_a_pipe_in_its_place_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "inference.yml")
    with pytest.raises(ModelMissing, match="no file"):
        read_inference_config(tmp_path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(data=st.data())
def test_any_damage_is_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    text = bytearray(GOOD.encode())
    for place in data.draw(st.lists(st.integers(0, len(text) - 1), min_size=1, max_size=4)):
        text[place] = data.draw(st.integers(0, 255))
    try:
        config = read(tmp_path, bytes(text))
    except ModelMissing:
        return
    assert 0 < config.height <= 4096
    assert config.labels
