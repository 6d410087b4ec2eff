"""Settings of processes: one TOML file, one frozen struct, nothing unknown."""

from pathlib import Path

import msgspec
import pytest

from arcscribe.config import load_settings
from arcscribe.errors import InvalidConfig
from layout_stage.settings import LayoutSettings
from orchestrator.settings import OrchestratorSettings
from vlm_stage.settings import VlmSettings


def written(folder: Path, text: str) -> Path:
    path = folder / "stage.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_the_settings_are_the_defaults() -> None:
    assert load_settings(None, OrchestratorSettings) == OrchestratorSettings()


def test_a_file_replaces_the_defaults_that_it_names(tmp_path: Path) -> None:
    path = written(tmp_path, 'window = 5\n[vlm]\naddress = "vlm:50062"\n[pages]\nmax_pages = 9\n')
    settings = load_settings(path, OrchestratorSettings)
    assert (settings.window, settings.vlm.address, settings.pages.max_pages) == (5, "vlm:50062", 9)
    assert settings.layout == OrchestratorSettings().layout


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("windows = 5", "unknown field `windows`"),
        ("[pages]\nmax_page = 5", r"unknown field `max_page` - at `\$.pages`"),
        ("window = '5'", r"Expected `int`, got `str` - at `\$.window`"),
        ("window = 0", r">= 1 - at `\$.window`"),
        ("page_workers = 0", r">= 1 - at `\$.page_workers`"),
        ("max_documents = -1", r">= 1 - at `\$.max_documents`"),
        ("window = ", "Invalid value"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_what_is_wrong(
    tmp_path: Path, text: str, words: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InvalidConfig, match=words) as caught:
        load_settings(path, OrchestratorSettings)
    assert caught.value.message.startswith(f"{path}: ")


@pytest.mark.parametrize("kind", [OrchestratorSettings, LayoutSettings, VlmSettings])
@pytest.mark.parametrize(
    ("value", "words"), [("nan", ">= 0.0"), ("inf", "<= 86400.0"), ("-inf", ">= 0.0"), ("-1", ">= 0.0")]
)
def test_grace_that_no_timer_can_wait_for_is_refused(
    tmp_path: Path, kind: type[msgspec.Struct], value: str, words: str
) -> None:
    path = written(tmp_path, f"grace_seconds = {value}")
    with pytest.raises(InvalidConfig, match=rf"{words} - at `\$.grace_seconds`"):
        load_settings(path, kind)
    load_settings(written(tmp_path, "grace_seconds = 0"), kind)


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path / "absent.toml", tmp_path, binary):
        with pytest.raises(InvalidConfig):
            load_settings(path, OrchestratorSettings)


def test_settings_do_not_change() -> None:
    with pytest.raises(AttributeError):
        OrchestratorSettings().window = 9  # type: ignore[misc]
    assert msgspec.structs.asdict(OrchestratorSettings())["window"] == 3
