"""A peer in a process of its own, with its own thread pools and its own memory."""

import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec


class Peer:
    """Told by lines of numbers what to do, says by lines how many tokens it wrote, in how many seconds."""

    def __init__(self, module: str, *arguments: str) -> None:
        command = [sys.executable, "-m", f"bench.vlm_peers.{module}", *arguments]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self._line() != "ready":
            raise RuntimeError(f"{module} did not start")

    def run(self, *numbers: int) -> tuple[int, float]:
        """The tokens that it wrote, given these numbers, and the seconds that they took."""
        assert self._process.stdin
        self._process.stdin.write(" ".join(map(str, numbers)) + "\n")
        self._process.stdin.flush()
        tokens, seconds = self._line().split()
        return int(tokens), float(seconds)

    def stop(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()

    def _line(self) -> str:
        """The next line that is meant for us; libraries say things on standard output, too."""
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith(_MARK):
                return line.removeprefix(_MARK).strip()
        return ""


_MARK = "bench: "


def serve(work: Callable[[list[int]], tuple[int, float]]) -> None:
    """In the peer's process: answers each line of numbers with what is measured."""
    print(f"{_MARK}ready", flush=True)
    for line in sys.stdin:
        tokens, seconds = work([int(number) for number in line.split()])
        print(f"{_MARK}{tokens} {seconds}", flush=True)


def missing(*modules: str) -> list[str]:
    """Those that cannot be imported."""
    return [module for module in modules if find_spec(module) is None]
