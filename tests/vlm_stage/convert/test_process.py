"""The process `python -m vlm_stage.convert`: events, one line for what is wrong, nothing left half-done."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from vlm_stage.engines.paddleocr_vl.manifest import read_manifest

SMALL_FILES = 100_000
"""Bytes: more than any of the toy's files but the networks' weights."""

WATCHED = """
import sys
from vlm_stage.convert.__main__ import main
status = main()
assert "nncf.telemetry" in sys.modules
assert not [name for name in sys.modules if name.startswith("openvino_telemetry.")]
sys.exit(status)
"""


def command(checkpoint: Path, out: Path, *options: str) -> list[str]:
    common = ["--precision", "int8", "--out", str(out), *options]
    return [sys.executable, "-m", "vlm_stage.convert", str(checkpoint), *common]


def run(arguments: list[str], **options: Any) -> tuple[int, str, str]:
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False, **options)
    return done.returncode, done.stdout, done.stderr


@contextmanager
def started(arguments: list[str]) -> Iterator["subprocess.Popen[bytes]"]:
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(process: "subprocess.Popen[bytes]", stage: str) -> None:
    assert process.stdout
    for line in process.stdout:
        if json.loads(line).get("stage") == stage:
            return
    pytest.fail(f"it never came to {stage}")


def test_its_output_is_events_and_nothing_else(toy: Path, tmp_path: Path) -> None:
    status, output, errors = run(command(toy, tmp_path / "out"))
    assert (status, errors) == (0, "")
    events = [json.loads(line) for line in output.splitlines()]
    assert {event["type"] for event in events[:-1]} == {"step"}
    files = read_manifest(tmp_path / "out").files
    assert events[-1] == {
        "type": "done",
        "folder": str(tmp_path / "out"),
        "bytes": sum(file.bytes for file in files),
        "parameters": 438_848,
    }


def test_what_is_wrong_is_one_line(toy: Path, tmp_path: Path) -> None:
    status, output, errors = run(command(tmp_path / "nowhere", tmp_path / "out"))
    assert (status, output) == (1, "")
    assert errors == f"error: there is no folder {tmp_path / 'nowhere'}\n"


LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.mark.parametrize("limit", [SMALL_FILES, 1000])
def test_a_full_disk_is_one_line_and_leaves_nothing(limit: int, toy: Path, tmp_path: Path) -> None:
    limited = [sys.executable, "-c", LIMITED, str(limit), *command(toy, tmp_path / "out", "--force")]
    status, _, errors = run(limited)
    assert status == 1
    assert errors.startswith("error: ")
    assert errors.count("\n") == 1
    assert "no space is left" in errors or "cannot be written" in errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_leaves_nothing(number: signal.Signals, toy: Path, tmp_path: Path) -> None:
    with started(command(toy, tmp_path / "out")) as process:
        wait_for(process, "build vision")
        assert [path.name for path in tmp_path.iterdir()] == [".out.part"]
        process.send_signal(number)
        assert process.wait(60) == 128 + number
        assert process.stderr
        assert process.stderr.read() == b""
    assert list(tmp_path.iterdir()) == []


def test_it_ends_with_the_process_that_started_it(toy: Path, tmp_path: Path) -> None:
    with started(command(toy, tmp_path / "out", "--exit-with-parent")) as process:
        wait_for(process, "build vision")
        assert process.stdin
        process.stdin.close()
        assert process.wait(60) == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_one_left_does_not_hinder_the_next(toy: Path, tmp_path: Path) -> None:
    with started(command(toy, tmp_path / "out")) as process:
        wait_for(process, "write vision")
        process.kill()
        process.wait(60)
    assert [path.name for path in tmp_path.iterdir()] == [".out.part"]
    assert run(command(toy, tmp_path / "out"))[0] == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_nncf_reports_to_nobody(toy: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NNCF", "CI"))}
    folders = {name: str(home) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}
    arguments = [sys.executable, "-c", WATCHED, *command(toy, tmp_path / "out")[3:]]
    assert run(arguments, env=kept | folders)[0] == 0
    assert list(home.iterdir()) == []
