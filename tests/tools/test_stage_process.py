"""A stage as a child process: what it is told, why it ended, when it is started again, how it stops."""

import signal
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.errors import InvalidConfig, StageUnavailable
from arcscribe.tools import stage_process
from arcscribe.tools.local_service import is_serving
from arcscribe.tools.stage_end import how_it_ended, keep_log
from arcscribe.tools.stage_process import StageCommand, StageProcess
from arcscribe.tools.toml import to_toml
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
FAKE = "tests.rpc.fake_stage"

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
values = st.recursive(
    texts | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(texts, values, max_size=5))
def test_settings_come_back_from_toml_as_they_were(settings: dict[str, object]) -> None:
    assert tomllib.loads(to_toml(settings)) == settings


def test_a_setting_that_toml_cannot_say_is_refused() -> None:
    with pytest.raises(InvalidConfig):
        to_toml({"a": object()})


@pytest.fixture(autouse=True)
def tests_as_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "logs"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@contextmanager
def started(
    folder: Path, settings: dict[str, object] | None = None, *, verbose: bool = False
) -> Iterator[StageProcess]:
    command = StageCommand(FAKE, f"unix:{folder}/stage.sock", settings or {})
    process = StageProcess(command, folder, verbose=verbose)
    try:
        yield process
    finally:
        process.stop(0)


def test_a_stage_is_started_with_its_settings_and_stops_in_order(tmp_path: Path) -> None:
    with started(tmp_path, {"grace_seconds": 5.0}) as process:
        wait_until(lambda: is_serving(process.command.address))
        process.stop()
        assert process.returncode == 0
        assert "draining" in (tmp_path / f"{FAKE}.log").read_text()


def test_a_stage_that_does_not_stop_is_killed(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        wait_until(lambda: is_serving(process.command.address))
        process._child.send_signal(signal.SIGSTOP)
        process.stop(0.1)
        assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("verbose", [False, True])
def test_why_a_stage_ended_is_told_in_its_own_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verbose: bool
) -> None:
    with started(tmp_path, {"colour": "red"}, verbose=verbose) as process:
        wait_until(lambda: process.returncode is not None)
        error = process.error()
        assert isinstance(error, StageUnavailable)
        assert "contains unknown field `colour`" in error.message
        assert not error.message.startswith("error:")
        assert "colour" not in capsys.readouterr().err  # said once, by whoever asked


def test_a_stage_that_was_killed_said_nothing(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        process._child.kill()
        wait_until(lambda: process.returncode is not None)
        told = f"{FAKE} was killed by SIGKILL, perhaps since the memory was used up; its log is "
        assert process.error().message == told + "empty"
        (tmp_path / f"{FAKE}.log").write_text("the last words")
        kept = tmp_path / f"logs/arcscribe/log/{FAKE}.log"
        assert process.error().message == f"{told}{kept}"
        assert kept.read_text() == "the last words"
        (tmp_path / f"{FAKE}.log").write_text("newer ones")
        process.error()
        assert kept.read_text() == "newer ones"


def test_where_a_log_cannot_be_kept_is_told_how_to_see_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    (tmp_path / "stage.log").write_text("the last words")
    assert keep_log(tmp_path / "stage.log") == "its log, which --verbose shows, may tell why"


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (3, "it ended with exit status 3"),
        (-11, "it was killed by SIGSEGV"),
        (-42, "it was killed by signal 42"),
    ],
)
def test_how_a_process_ended_is_told_in_words(status: int, told: str) -> None:
    assert how_it_ended("it", status) == told


def test_a_log_that_is_asked_for_is_shown_as_it_comes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with started(tmp_path, verbose=True) as process:
        wait_until(lambda: is_serving(process.command.address))
        shown = ""

        def serving_is_shown() -> bool:
            nonlocal shown
            shown += capsys.readouterr().err
            return '"event": "serving"' in shown

        wait_until(serving_is_shown)


def test_a_stage_that_lives_is_not_started_again(tmp_path: Path) -> None:
    with started(tmp_path) as process:
        pid = process.pid
        assert process.restart_if_dead() is False
        assert process.pid == pid


def test_a_stage_that_keeps_dying_is_started_after_pauses_that_double(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage_process, "FIRST_PAUSE_SECONDS", 0.1)
    monkeypatch.setattr(stage_process, "LONGEST_PAUSE_SECONDS", 0.2)
    with started(tmp_path) as process:
        pauses = []
        for _ in range(3):
            process._child.kill()
            wait_until(lambda: process.returncode is not None)
            died = time.monotonic()
            wait_until(process.restart_if_dead)
            pauses.append(time.monotonic() - died)
        assert process.restarts == 3
    assert all(pause >= least for pause, least in zip(pauses, (0.1, 0.2, 0.2), strict=True))
    assert pauses[2] < 0.4  # as it would be if the pauses doubled without a bound


def test_a_stage_that_lived_long_is_started_again_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage_process, "FIRST_PAUSE_SECONDS", 60.0)
    monkeypatch.setattr(stage_process, "STEADY_SECONDS", 0.0)
    with started(tmp_path) as process:
        wait_until(lambda: is_serving(process.command.address))
        process._child.kill()
        wait_until(lambda: process.returncode is not None)
        assert process.restart_if_dead() is True
        wait_until(lambda: is_serving(process.command.address))


def test_modules_in_the_users_folder_are_not_taken_for_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "grpc.py").write_text("raise SystemExit('not this one')")
    monkeypatch.chdir(tmp_path)
    with started(tmp_path) as process:
        wait_until(lambda: is_serving(process.command.address))
