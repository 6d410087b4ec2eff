"""A peer in a process of its own, which is told by lines what to do, and answers by lines."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

MARK = "bench: "
"""What the lines begin with that are meant for us; libraries say things on standard output, too."""


class PeerProcess:
    """The process, from its start until it is stopped."""

    def __init__(
        self, command: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        """Starts it, in a folder and an environment if they are not ours."""
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder, env=environment
        )

    def send(self, line: str = "") -> None:
        """Gives it a line."""
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def line(self) -> str:
        """Its next line, without the mark; empty when it has ended."""
        assert self._process.stdout
        lines = (line for line in self._process.stdout if line.startswith(MARK))
        return next(lines, "").removeprefix(MARK).strip()

    def stop(self) -> None:
        """Ends its input, at which it ends, and waits for that."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()
