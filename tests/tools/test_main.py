"""The command while it loads: Ctrl-C ends it, wherever it strikes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def ended(folder: Path, code: str) -> tuple[int, str]:
    """Exit status and standard error stream of a command whose first library runs this code as it loads."""
    (folder / "typer.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-m", "arcscribe.tools", "--version"],
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "code",
    [
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nraise SystemExit('it went on')\n",
        # Python would print a KeyboardInterrupt that is raised there, and forget it.
        "import os, signal\n"
        "class Closing:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "Closing()\n"
        "raise SystemExit('it went on')\n",
    ],
)
def test_ctrl_c_while_the_command_loads_is_one_line(tmp_path: Path, code: str) -> None:
    assert ended(tmp_path, code) == (130, "interrupted\n")


def test_a_command_that_ignores_ctrl_c_goes_on_ignoring_it(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nraise SystemExit('it went on')\n"
        assert ended(tmp_path, code) == (1, "it went on\n")
    finally:
        signal.signal(signal.SIGINT, before)
