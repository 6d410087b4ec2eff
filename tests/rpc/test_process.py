"""A stage as a real process: signals, drain, its parent's death, and its log."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import psutil
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arcscribe.rpc.channel import open_blocking_channel
from arcscribe.rpc.logs import REQUEST_ID_KEY
from arcscribe.tools.local_service import is_serving
from arcscribe.v1 import layout_pb2, layout_pb2_grpc, page_pb2
from tests.rpc.fake_stage import SECRET
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "tests.rpc.fake_stage")


class Stage:
    """A fake stage's process."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.address = f"unix:{folder}/stage.sock"
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self.child = subprocess.Popen(
                [*COMMAND, "--listen", self.address, *arguments], cwd=ROOT, stdin=subprocess.PIPE, stderr=log
            )

    def logged(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]


@contextmanager
def begun(folder: Path, *arguments: str) -> Iterator[Stage]:
    """A stage that may not serve yet, or never."""
    stage = Stage(folder, *arguments)
    try:
        yield stage
    finally:
        stage.child.kill()
        stage.child.communicate()


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[Stage]:
    """A stage that says SERVING."""
    with begun(folder, *arguments) as stage:
        wait_until(lambda: is_serving(stage.address))
        yield stage


def call(channel: grpc.Channel, what: str) -> "grpc.Future[layout_pb2.AnalyzeResponse]":
    request = layout_pb2.AnalyzeRequest(image=page_pb2.Image(data=what.encode()))
    stub = layout_pb2_grpc.LayoutAnalyzerStub(channel)
    return stub.Analyze.future(request, timeout=20, metadata=((REQUEST_ID_KEY, "r-17"),))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_the_call_in_work_finish_and_takes_no_other(
    tmp_path: Path, number: signal.Signals
) -> None:
    with started(tmp_path) as stage, open_blocking_channel(stage.address) as channel:
        in_work = call(channel, "0.5")
        wait_until(lambda: "working" in stage.log.read_text())
        stage.child.send_signal(number)
        wait_until(lambda: "draining" in stage.log.read_text())
        assert not is_serving(stage.address)
        with open_blocking_channel(stage.address) as other, pytest.raises(grpc.RpcError) as caught:
            call(other, "0").result()
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        assert in_work.result().width == 1
        assert stage.child.wait(5) == 0
        assert [entry["event"] for entry in stage.logged()][-2:] == ["closed", "stopped"]


def test_a_call_that_outlasts_the_grace_is_cut_off_as_one_to_be_sent_again(tmp_path: Path) -> None:
    config = tmp_path / "stage.toml"
    config.write_text("grace_seconds = 0.2")
    with started(tmp_path, "--config", str(config)) as stage, open_blocking_channel(stage.address) as channel:
        in_work = call(channel, "30")
        wait_until(lambda: "working" in stage.log.read_text())
        stage.child.terminate()
        with pytest.raises(grpc.RpcError) as caught:
            in_work.result()
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        assert stage.child.wait(5) == 0


def test_a_stage_that_is_still_loading_stops_at_once(tmp_path: Path) -> None:
    config = tmp_path / "stage.toml"
    config.write_text("load_seconds = 60")
    with begun(tmp_path, "--config", str(config)) as stage:
        with open_blocking_channel(stage.address) as channel:
            wait_until(lambda: "listening" in stage.log.read_text())
            health = health_pb2_grpc.HealthStub(channel)
            answer = health.Check(health_pb2.HealthCheckRequest(), timeout=5, wait_for_ready=True)
            assert answer.status == health_pb2.HealthCheckResponse.NOT_SERVING
        stage.child.terminate()
        assert stage.child.wait(5) == 0


def test_a_stage_ends_in_order_when_its_standard_input_does(tmp_path: Path) -> None:
    with started(tmp_path, "--exit-with-parent") as stage:
        assert stage.child.stdin is not None
        stage.child.stdin.close()
        assert stage.child.wait(5) == 0
        assert stage.logged()[-1]["event"] == "stopped"


def test_a_stage_without_that_option_outlives_its_standard_input(tmp_path: Path) -> None:
    with started(tmp_path) as stage:
        assert stage.child.stdin is not None
        stage.child.stdin.close()
        with pytest.raises(subprocess.TimeoutExpired):
            stage.child.wait(0.2)


def test_a_stage_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/stage.sock"
    command = [*COMMAND, "--listen", address, "--exit-with-parent"]
    code = (
        "import subprocess, time\n"
        f"child = subprocess.Popen({command!r}, stdin=subprocess.PIPE)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert parent.stdout is not None
    stage = psutil.Process(int(parent.stdout.readline()))
    wait_until(lambda: is_serving(address))
    parent.kill()
    parent.communicate()
    wait_until(lambda: not stage.is_running() or stage.status() == psutil.STATUS_ZOMBIE, 5)


def test_logs_are_json_lines_with_the_request_id_and_without_the_documents_text(tmp_path: Path) -> None:
    with started(tmp_path) as stage, open_blocking_channel(stage.address) as channel:
        with pytest.raises(grpc.RpcError):
            call(channel, "crash").result()
        wait_until(lambda: "call failed" in stage.log.read_text())
        (failure,) = [entry for entry in stage.logged() if entry["event"] == "call failed"]
        assert (failure["process"], failure["request_id"], failure["level"]) == (
            "fake_stage",
            "r-17",
            "error",
        )
        assert failure["exception"][0]["exc_value"] == f"{len(SECRET)} characters crashed it"
        assert SECRET not in stage.log.read_text()


def test_a_stage_goes_on_when_nobody_reads_its_log_any_more(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/stage.sock"
    with subprocess.Popen([*COMMAND, "--listen", address], cwd=ROOT, stderr=subprocess.PIPE) as child:
        try:
            assert child.stderr is not None
            wait_until(lambda: is_serving(address))
            child.stderr.close()
            with open_blocking_channel(address) as channel:
                assert call(channel, "0").result().width == 1
            child.terminate()
            assert child.wait(5) == 0
        finally:
            child.kill()


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("grace_seconds = 'long'", "Expected `float`, got `str` - at `$.grace_seconds`"),
        ("grace = 1", "unknown field `grace`"),
        ("grace_seconds =", "Invalid value"),
        (None, "no such file or directory"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_one_line(
    tmp_path: Path, config: str | None, words: str
) -> None:
    path = tmp_path / "stage.toml"
    if config is not None:
        path.write_text(config)
    with begun(tmp_path, "--config", str(path)) as stage:
        assert stage.child.wait(20) == 1
    (line,) = stage.log.read_text().splitlines()
    assert line.startswith(f"error: {path}: ")
    assert words.lower() in line.lower()
