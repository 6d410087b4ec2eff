"""The `arcscribe` command as a user runs it, and what it leaves behind."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

ARCSCRIBE = (sys.executable, "-m", "arcscribe.tools")
STAGES = ("layout_stage", "vlm_stage", "orchestrator")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    code: int
    out: str
    err: str

    def assert_one_clear_line(self, *words: str) -> None:
        """It failed, with one line on the standard error stream that holds the words, and nothing else."""
        assert self.code != 0
        assert self.out == ""
        lines = self.err.strip().splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("error: ")
        assert "Traceback" not in self.err
        for word in words:
            assert word in lines[0]


def run(*arguments: object, env: Mapping[str, str] | None = None, timeout: float = 120) -> Outcome:
    """Runs the command to its end."""
    done = subprocess.run(
        [*ARCSCRIBE, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **(env or {})},
        timeout=timeout,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


@contextmanager
def nothing_left_behind() -> Iterator[None]:
    """Fails where a stage's process or a private folder is there afterwards that was not there before."""
    processes, folders = _stages(), _folders()
    yield
    assert _stages() <= processes
    assert _folders() <= folders


def _stages() -> set[int]:
    found = set()
    for process in psutil.process_iter(["cmdline"]):
        command = process.info["cmdline"] or []
        if any(word in command for word in (*STAGES, "orchestrator.pages.worker")):
            found.add(process.pid)
    return found


def _folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("arcscribe-*"))
