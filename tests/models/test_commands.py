"""The commands that lines name: they are those that make the model anew."""

from pathlib import Path

import pytest

from arcscribe.models.commands import Recipe, again_command, convert_command, named_recipe, recorded_recipe

CONVERT = "arcscribe models convert"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        (
            "paddleocr-vl-1.6-int8",
            f"arcscribe models pull paddleocr-vl-1.6 && {CONVERT} paddleocr-vl-1.6 --precision int8",
        ),
        (
            "paddleocr-vl-1.6-int8-calibrated",
            f"arcscribe models pull paddleocr-vl-1.6 && {CONVERT} paddleocr-vl-1.6 --precision int8"
            " --calibrate PICTURES",
        ),
        ("paddleocr-vl-1.6-int7", ""),
        ("mine-int8", ""),
        ("mine", ""),
    ],
)
def test_a_name_tells_the_commands_that_bring_the_model(name: str, command: str) -> None:
    assert convert_command(name) == command


@pytest.mark.parametrize(
    ("vision", "decoder", "options"),
    [
        ("int8", "int8", ""),
        ("fp16", "int8", " --vision fp16"),
        ("int8", "int4", ""),
        ("fp16", "int4", " --vision fp16"),
        ("int8-calibrated", "int4", " --calibrate PICTURES"),
    ],
)
def test_precisions_tell_the_options_they_came_of(vision: str, decoder: str, options: str) -> None:
    recipe = recorded_recipe("paddleocr-vl-1.5", {"vision": vision, "decoder": decoder})
    assert recipe.command() == f"{CONVERT} paddleocr-vl-1.5 --precision {decoder}{options}"


def test_what_a_damaged_manifest_says_becomes_no_option() -> None:
    made = recorded_recipe("x; rm", {"vision": "--out", "decoder": "--out"})
    assert made == Recipe("", "")


def test_a_model_is_made_anew_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCSCRIBE_MODELS", str(tmp_path))
    name = "paddleocr-vl-1.6-fp16"
    whole = f"{CONVERT} paddleocr-vl-1.6 --precision fp16"
    assert again_command(tmp_path / name, named_recipe(name)) == f"{whole} --force"
    assert again_command(tmp_path / "mine", named_recipe(name)) == f"{whole} --name mine --force"
    assert again_command(Path("/a b/c"), named_recipe(name)) == f"{whole} --out '/a b/c' --force"
