"""What keeps a stage from starting is told in one line."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.rpc.test_process import COMMAND, ROOT


def ended(*arguments: str) -> tuple[int, list[str], list[str]]:
    """The exit status of a stage that does not start, its log, and what else it says."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = done.stderr.splitlines()
    logged = [line for line in lines if line.startswith("{")]
    return done.returncode, logged, [line for line in lines if line not in logged]


@pytest.mark.parametrize(
    "address", ["127.0.0.1:99999", "127.0.0.1:-1", "127.0.0.1", "nonsense", "127.0.0.1:", "unix:", "[::1]:x"]
)
def test_an_address_that_is_none_is_one_line(address: str) -> None:
    code, _, (line,) = ended("--listen", address)
    assert code == 1
    assert line.startswith(f"error: cannot listen on {address}")


def test_an_unforeseen_error_at_the_start_is_one_line_and_the_log_tells_the_rest(tmp_path: Path) -> None:
    config = tmp_path / "stage.toml"
    config.write_text("load_seconds = -1.0")
    code, logged, (line,) = ended("--config", str(config), "--listen", f"unix:{tmp_path}/stage.sock")
    assert code == 1
    assert line.startswith("error: fake_stage failed: ValueError: ")
    assert json.loads(logged[-1])["event"] == "failed"
