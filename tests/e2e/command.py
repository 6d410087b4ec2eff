"""The `arcscribe` command as a user runs it, and what it leaves behind."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

ARCSCRIBE = (sys.executable, "-m", "arcscribe.tools")
STAGES = ("layout_stage", "vlm_stage", "orchestrator")
MARK = "ARCSCRIBE_TEST_MARK"


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
    """Fails where a process or a file is left afterwards by anything that was started inside."""
    mark = uuid4().hex
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv(MARK, mark)
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", None)
        yield
        assert _marked(mark) == []
        assert [path.name for path in Path(folder).rglob("*")] == []


def _marked(mark: str) -> list[list[str]]:
    """The command lines of the processes, but this one, that inherited the mark."""
    found = []
    for process in psutil.process_iter(["pid"]):
        with suppress(psutil.Error):
            if process.pid != os.getpid() and process.environ().get(MARK) == mark:
                found.append(process.cmdline())
    return found
