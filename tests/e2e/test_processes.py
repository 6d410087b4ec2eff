"""What happens to processes: two runs at once, a busy port, a killed stage, Ctrl-C, a killed parent."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from arcscribe.client import Client
from arcscribe.errors import StageUnavailable
from arcscribe.events import PageDone, ParseOptions
from arcscribe.tools.engines import DEFAULT_ENGINE, local_settings
from arcscribe.tools.local_service import LocalService, LocalSettings
from tests.e2e.command import ARCSCRIBE, STAGES, nothing_left_behind, run
from tests.orchestrator.pdf_files import text_pdf
from tests.waiting import wait_until


def stage_pids(parent: int) -> dict[str, int]:
    children = psutil.Process(parent).children()
    return {name: child.pid for child in children for name in STAGES if name in child.cmdline()}


def test_two_commands_at_once_do_not_disturb_each_other(
    model_root: Path, samples: Path, tmp_path: Path
) -> None:
    with nothing_left_behind(), ThreadPoolExecutor(2) as pool:
        runs = [
            pool.submit(run, "parse", samples / f"{name}.pdf", "-o", tmp_path / f"{name}.md")
            for name in ("invoice", "paper")
        ]
        assert [done.result().code for done in runs] == [0, 0]
    assert "<table>" in (tmp_path / "invoice.md").read_text(encoding="utf-8")
    assert "<table>" not in (tmp_path / "paper.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("part", ["layout", "vlm", "orchestrator", "all"])
def test_a_busy_port_is_one_clear_line(model_root: Path, part: str) -> None:
    with nothing_left_behind(), socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        outcome = run("serve", part, "--listen", address)
    errors = [line for line in outcome.err.splitlines() if not line.startswith("{")]
    assert outcome.code != 0
    assert errors == [f"error: cannot listen on {address}: in use, or not of this machine"]


@pytest.fixture(scope="module")
def to_be_killed(model_root: Path) -> Iterator[LocalService]:
    """The three processes, for tests that each kill another of them."""
    with LocalService(local_settings(DEFAULT_ENGINE)) as running:
        yield running


@pytest.mark.parametrize("stage", ["vlm_stage", "layout_stage"])
def test_a_stage_killed_in_the_middle_of_a_document_is_started_again_and_the_document_completes(
    to_be_killed: LocalService, samples: Path, stage: str
) -> None:
    data = (samples / "contract.pdf").read_bytes()
    running = to_be_killed
    with Client(running.address) as client:
        undisturbed = client.parse(data).markdown
        killed = False
        pages = []
        for event in client.stream(data):
            if not killed:
                os.kill(running.stages[stage].pid, signal.SIGKILL)
                killed = True
            if isinstance(event, PageDone):
                pages.append(event.page)
        assert running.stages[stage].restarts == 1
        assert [page.failure for page in pages] == [None, None]
        assert client.parse(data).markdown == undisturbed


def test_ctrl_c_ends_the_command_in_one_line_and_leaves_nothing(
    model_root: Path, samples: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.md"
    with nothing_left_behind():
        command = [*ARCSCRIBE, "parse", str(samples / "contract.pdf"), "-o", str(out)]
        child = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        wait_until(lambda: len(stage_pids(child.pid)) == len(STAGES), 60)
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=60)
    assert (child.returncode, output, errors.strip()) == (130, "", "interrupted")
    assert list(tmp_path.iterdir()) == []


def test_stages_end_when_the_command_is_killed(model_root: Path, samples: Path) -> None:
    child = subprocess.Popen(
        [*ARCSCRIBE, "parse", str(samples / "contract.pdf")],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    wait_until(lambda: len(stage_pids(child.pid)) == len(STAGES), 60)
    pids = stage_pids(child.pid).values()
    child.kill()
    child.wait()
    wait_until(lambda: not any(psutil.pid_exists(pid) for pid in pids), 60)


def test_a_missing_model_is_one_line_that_names_the_file_and_the_command(
    samples: Path, tmp_path: Path
) -> None:
    with nothing_left_behind():
        outcome = run("parse", samples / "invoice.pdf", env={"ARCSCRIBE_MODELS": str(tmp_path)})
    outcome.assert_one_clear_line(".onnx", "arcscribe models pull")


def test_a_device_that_is_not_there_is_one_line_that_names_those_that_are(model_root: Path) -> None:
    settings = local_settings(DEFAULT_ENGINE, LocalSettings(vlm={"openvino": {"device": "GPU.7"}}))
    with nothing_left_behind(), pytest.raises(StageUnavailable, match=r"no device GPU\.7; it sees: CPU"):
        LocalService(settings).__enter__()


def test_the_document_goes_on_while_the_reader_of_events_is_slow(service: LocalService) -> None:
    data = text_pdf([f"Page {number}" for number in range(1, 21)], size=(120, 60))
    with Client(service.address) as client:
        numbers = []
        for event in client.stream(data, ParseOptions(skip_orientation=True)):
            if isinstance(event, PageDone):
                numbers.append(event.page.number)
                time.sleep(0.05)
    assert numbers == list(range(1, 21))
