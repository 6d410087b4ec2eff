import json
from pathlib import Path

import pytest

from arcscribe.errors import ModelMissing
from vlm_stage.convert.image_settings import read_image_settings
from vlm_stage.engines.paddleocr_vl.inputs.images import ImageSettings

FLAT = {
    "auto_map": {"AutoImageProcessor": "image_processing.SomeImageProcessor"},
    "image_mean": [0.5, 0.5, 0.5],
    "image_std": [0.5, 0.5, 0.5],
    "min_pixels": 112_896,
    "max_pixels": 1_003_520,
    "do_resize": True,
    "do_convert_rgb": True,
    "temporal_patch_size": 1,
}
EXPECTED = ImageSettings(112_896, 1_003_520, image_mean=(0.5, 0.5, 0.5), image_std=(0.5, 0.5, 0.5))


def write(folder: Path, content: object, name: str = "preprocessor_config.json") -> Path:
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def without_limits(**changes: object) -> dict[str, object]:
    return {key: value for key, value in FLAT.items() if not key.endswith("_pixels")} | changes


def test_a_published_file_is_read_and_strange_keys_are_passed_over(tmp_path: Path) -> None:
    assert read_image_settings(write(tmp_path, FLAT)) == EXPECTED


@pytest.mark.parametrize(
    "size",
    [
        {"shortest_edge": 112_896, "longest_edge": 1_003_520},
        {"min_pixels": 112_896, "max_pixels": 1_003_520},
    ],
)
def test_limits_are_found_by_either_name(tmp_path: Path, size: dict[str, int]) -> None:
    assert read_image_settings(write(tmp_path, without_limits(size=size))) == EXPECTED


def test_limits_outside_of_the_size_come_first(tmp_path: Path) -> None:
    size = {"shortest_edge": 1, "longest_edge": 2}
    assert read_image_settings(write(tmp_path, FLAT | {"size": size})) == EXPECTED


def test_what_transformers_5_saves_inside_another_file_comes_first(tmp_path: Path) -> None:
    write(tmp_path, {"min_pixels": 5})
    write(tmp_path, {"image_processor": FLAT, "processor_class": "X"}, "processor_config.json")
    assert read_image_settings(tmp_path) == EXPECTED


def test_a_processor_file_without_them_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, {"processor_class": "X"}, "processor_config.json")
    assert read_image_settings(write(tmp_path, FLAT)) == EXPECTED


def test_what_is_not_said_is_as_in_transformers(tmp_path: Path) -> None:
    settings = read_image_settings(write(tmp_path, {}))
    assert (settings.min_pixels, settings.max_pixels) == (147_456, 2_359_296)
    assert settings.image_mean == (0.48145466, 0.4578275, 0.40821073)


@pytest.mark.parametrize(
    "content",
    [
        "version https://git-lfs.github.com/spec/v1",
        {"image_mean": [0.5]},
        {"min_pixels": 10, "max_pixels": 5},
        {"do_resize": False},
        {"temporal_patch_size": 2},
        {"resample": 17},
        {"image_std": [0.5, 0.5, -0.5]},
        {"rescale_factor": 0},
        '{"image_mean": [0.5, 0.5, 1e300]}',
        '{"image_mean": [0.5, 0.5, 1e999]}',
    ],
)
def test_settings_that_cannot_be_followed_are_a_damaged_checkpoint(tmp_path: Path, content: object) -> None:
    with pytest.raises(ModelMissing, match="cannot be followed"):
        read_image_settings(write(tmp_path, content))


def test_a_checkpoint_without_settings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"preprocessor_config\.json is not there"):
        read_image_settings(tmp_path)
