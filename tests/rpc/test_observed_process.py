"""Metrics and traces of a process as its configuration has them, told in one line where they cannot be."""

import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

from arcscribe.tools.local_service import is_serving
from tests.waiting import wait_until

ROOT = Path(__file__).parents[2]


def orchestrator(folder: Path, settings: str) -> "subprocess.Popen[str]":
    """The process that has nothing to load."""
    (folder / "orchestrator.toml").write_text(settings, encoding="utf-8")
    command = [sys.executable, "-m", "orchestrator", "--config", f"{folder}/orchestrator.toml"]
    return subprocess.Popen(
        [*command, "--listen", f"unix:{folder}/o.sock"],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_process_serves_its_metrics_while_it_lives(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    process = orchestrator(tmp_path, f'max_documents = 5\n[metrics]\nlisten = "127.0.0.1:{port}"\n')
    try:
        wait_until(lambda: is_serving(f"unix:{tmp_path}/o.sock"))
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as response:
            text = response.read().decode()
    finally:
        process.terminate()
        _, log = process.communicate(timeout=30)
    assert process.returncode == 0, log
    assert 'process="orchestrator"' in text
    assert "arcscribe_documents_limit 5.0" in text
    assert "arcscribe_vlm" not in text


def test_a_busy_port_for_metrics_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = orchestrator(tmp_path, f'[metrics]\nlisten = "127.0.0.1:{port}"\n')
        _, log = process.communicate(timeout=30)
    assert process.returncode == 1
    assert log.startswith(f"error: cannot serve metrics on 127.0.0.1:{port}: in use")
    assert log.count("\n") == 1
