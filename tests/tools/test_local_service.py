"""The three processes as one service: they start, they are watched, they stop, they leave nothing."""

import fcntl
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from arcscribe.errors import StageUnavailable
from arcscribe.rpc.channel import open_blocking_channel
from arcscribe.tools import local_service
from arcscribe.tools.local_service import LocalService, LocalSettings, is_serving
from arcscribe.tools.private_folder import LOCK, PREFIX, UNLOCKED_SECONDS, private_folder, sweep
from arcscribe.v1 import layout_pb2, layout_pb2_grpc, page_pb2
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]
STAGES = ("layout_stage", "vlm_stage", "orchestrator")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Three fake stages under the names of the real ones, and a folder for temporary files."""
    fakes = tmp_path / "fakes"
    fakes.mkdir()
    # A socket's path may have 107 bytes, which those below tmp_path exceed where several processes run tests.
    temporary = Path(tempfile.mkdtemp())
    for name in STAGES:
        (fakes / f"{name}.py").write_text("from tests.rpc.fake_stage import main\nmain()\n")
    monkeypatch.setenv("PYTHONPATH", f"{fakes}{os.pathsep}{ROOT}")
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield temporary
    try:
        assert list(temporary.iterdir()) == []
    finally:
        shutil.rmtree(temporary)


def running(pids: list[int]) -> list[int]:
    return [
        pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    ]


def test_a_port_at_which_another_service_serves_is_busy() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with LocalService(LocalSettings(address)):
        second = LocalService(LocalSettings(address, layout={"load_seconds": 3.0}))
        with pytest.raises(StageUnavailable, match="in use"):
            second.__enter__()


def test_three_processes_serve_and_stop_without_a_trace(temporary: Path) -> None:
    with LocalService(LocalSettings()) as service:
        assert tuple(service.stages) == STAGES
        assert all(is_serving(stage.command.address) for stage in service.stages.values())
        assert service.address == service.stages["orchestrator"].command.address
        (folder,) = temporary.iterdir()
        assert folder.stat().st_mode & 0o077 == 0
        pids = [stage.pid for stage in service.stages.values()]
        assert len(running(pids)) == 3
    assert running(pids) == []
    assert [stage.returncode for stage in service.stages.values()] == [0, 0, 0]


def test_the_orchestrator_is_told_where_the_stages_are(temporary: Path) -> None:
    with LocalService(LocalSettings()) as service:
        settings = service.stages["orchestrator"].command.settings
        for name in ("layout", "vlm"):
            table: Any = settings[name]
            assert table["address"] == service.stages[f"{name}_stage"].command.address


def test_a_draft_stage_is_a_fourth_process_of_which_the_orchestrator_is_told(temporary: Path) -> None:
    settings = LocalSettings(
        drafts={"load_seconds": 0.1}, orchestrator={"draft_vlm": {"timeout_seconds": 5.0}, "vlm": {"a": 1}}
    )
    with LocalService(settings) as service:
        assert tuple(service.stages) == ("layout_stage", "vlm_stage", "draft_stage", "orchestrator")
        assert all(is_serving(stage.command.address) for stage in service.stages.values())
        addresses = {name: stage.command.address for name, stage in service.stages.items()}
        assert len(set(addresses.values())) == 4
        assert service.stages["draft_stage"].command.settings == {"load_seconds": 0.1}
        told = service.stages["orchestrator"].command.settings
        assert told["draft"] == "pp-ocr"
        assert told["draft_vlm"] == {"timeout_seconds": 5.0, "address": addresses["draft_stage"]}
        assert told["vlm"] == {"a": 1, "address": addresses["vlm_stage"]}
        (folder,) = temporary.iterdir()
        logs = {path.name for path in folder.glob("*.log")}
        assert logs == {f"{name}.log" for name in service.stages}
    assert running([stage.pid for stage in service.stages.values()]) == []


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_that_dies_is_started_again(stage: str) -> None:
    with LocalService(LocalSettings()) as service:
        process = service.stages[stage]
        os.kill(process.pid, signal.SIGKILL)
        wait_until(lambda: process.restarts == 1)
        wait_until(lambda: is_serving(process.command.address))


def deadly_start(folder: Path, stage: str, deaths: int) -> None:
    """Makes a stage one that is killed at its first starts, so many times."""
    (folder / f"fakes/{stage}.py").write_text(
        "import os, pathlib, sys\n"
        f"starts = pathlib.Path({str(folder / 'starts')!r})\n"
        "with starts.open('a') as file: file.write('.')\n"
        f"if starts.stat().st_size <= {deaths}:\n"
        "    print('loading', file=sys.stderr, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
        "from tests.rpc.fake_stage import main\n"
        "main()\n"
    )


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_that_is_killed_while_it_starts_is_started_again(tmp_path: Path, stage: str) -> None:
    deadly_start(tmp_path, stage, deaths=2)
    with LocalService(LocalSettings()) as service:
        assert service.stages[stage].restarts == 2
        assert all(is_serving(process.command.address) for process in service.stages.values())


def test_a_stage_that_serves_and_is_killed_while_another_starts_is_started_again(tmp_path: Path) -> None:
    service = LocalService(LocalSettings(layout={"load_seconds": 3.0}))
    with ThreadPoolExecutor(1) as pool:
        started = pool.submit(service.__enter__)
        wait_until(lambda: "vlm_stage" in service.stages)
        vlm = service.stages["vlm_stage"]
        wait_until(lambda: is_serving(vlm.command.address))
        os.kill(vlm.pid, signal.SIGKILL)
        try:
            started.result()
            assert vlm.restarts == 1
            assert is_serving(vlm.command.address)
        finally:
            service.stop()


def test_a_stage_that_is_killed_at_each_start_is_given_up_and_its_log_is_kept(tmp_path: Path) -> None:
    deadly_start(tmp_path, "vlm_stage", deaths=99)
    service = LocalService(LocalSettings())
    with pytest.raises(StageUnavailable) as caught, service:
        pass
    kept = tmp_path / "state/arcscribe/log/vlm_stage.log"
    assert caught.value.message == (
        "vlm_stage was killed by SIGKILL 4 times in a row, perhaps since the memory was used up;"
        f" its log is {kept}"
    )
    assert kept.read_text() == "loading\n" * 4
    assert running([stage.pid for stage in service.stages.values()]) == []


def test_a_stage_that_cannot_start_ends_the_others_and_says_why() -> None:
    service = LocalService(LocalSettings(vlm={"engine": "none"}))
    with pytest.raises(StageUnavailable, match="unknown field `engine`"), service:
        pass
    assert running([stage.pid for stage in service.stages.values()]) == []


def test_a_stage_that_does_not_get_ready_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_service, "START_SECONDS", 1.0)
    service = LocalService(LocalSettings(layout={"load_seconds": 60}))
    with pytest.raises(StageUnavailable, match="not ready after 1 seconds: layout_stage"), service:
        pass
    assert running([stage.pid for stage in service.stages.values()]) == []


def serves_during(call: Any, address: str) -> bool:
    """Whether a stage serves for as long as a call is in work."""
    while not call.done():
        if not is_serving(address):
            return bool(call.done())
    return True


@pytest.mark.parametrize("drain", [False, True])
def test_a_service_that_drains_keeps_its_stages_until_the_orchestrator_has_finished(
    temporary: Path, drain: bool
) -> None:
    service = LocalService(LocalSettings(), drain=drain)
    with ThreadPoolExecutor(1) as pool:
        with service, open_blocking_channel(service.address) as channel:
            request = layout_pb2.AnalyzeRequest(image=page_pb2.Image(data=b"0.8"))
            stub: Any = layout_pb2_grpc.LayoutAnalyzerStub(channel)
            call = stub.Analyze.future(request, timeout=10)
            (folder,) = temporary.iterdir()
            wait_until(lambda: "working" in (folder / "orchestrator.log").read_text())
            serves = pool.submit(serves_during, call, service.stages["vlm_stage"].command.address)
            service.stop()
            assert call.result().width == 1
        assert serves.result() is drain


def test_a_folder_whose_owner_was_killed_is_swept(temporary: Path) -> None:
    code = (
        "import time\n"
        "from arcscribe.tools.private_folder import private_folder\n"
        "with private_folder() as folder:\n"
        "    (folder / 'a.log').write_text('left behind')\n"
        "    print(folder, flush=True)\n"
        "    time.sleep(60)\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    folder = Path(owner.stdout.readline().strip())
    sweep(temporary)
    assert (folder / "a.log").exists()
    owner.kill()
    owner.communicate()
    with private_folder() as mine:
        assert not folder.exists()
        assert stat.S_IMODE(mine.stat().st_mode) == 0o700


def test_what_is_young_or_not_ours_is_not_swept(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    young, old, other = (temporary / f"{PREFIX}{name}" for name in ("young", "old", "file"))
    young.mkdir()
    old.mkdir()
    other.write_text("a file of that name")
    past = time.time() - 2 * UNLOCKED_SECONDS
    os.utime(old, (past, past))
    sweep(temporary)
    assert [young.exists(), old.exists(), other.exists()] == [True, False, True]
    (young / LOCK).touch()
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    sweep(temporary)
    assert young.exists()
    monkeypatch.undo()
    with (young / LOCK).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sweep(temporary)
        assert young.exists()
    sweep(temporary)
    assert not young.exists()
    other.unlink()


def test_a_log_shows_what_the_stages_say(temporary: Path) -> None:
    with LocalService(LocalSettings()):
        (folder,) = temporary.iterdir()
        for name in STAGES:
            events = [json.loads(line)["event"] for line in (folder / f"{name}.log").read_text().splitlines()]
            assert events == ["listening", "serving"]


@pytest.mark.parametrize("given", ["", "127.0.0.1:50069"])
def test_an_orchestrator_that_speaks_tls_is_asked_for_its_health_where_it_does_not(
    tmp_path: Path, given: str
) -> None:
    tls = {"certificate": "c.pem", "key": "c.key"} | ({"health_listen": given} if given else {})
    settings = LocalSettings("0.0.0.0:50060", orchestrator={"tls": tls, "window": 2})
    *_, command = local_service._commands(settings, tmp_path)
    assert command.health == (given or f"unix:{tmp_path}/health.sock")
    assert command.settings["tls"] == {**tls, "health_listen": command.health}
    *_, plain = local_service._commands(LocalSettings(), tmp_path)
    assert plain.health == ""
