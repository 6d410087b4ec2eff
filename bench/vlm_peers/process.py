"""A peer in a process of its own, with its own thread pools and its own memory."""

import sys
from collections.abc import Callable
from importlib.util import find_spec

from bench.peer_process import MARK, PeerProcess


class Peer:
    """Told by lines of numbers what to do, says by lines how many tokens it wrote, in how many seconds."""

    def __init__(self, module: str, *arguments: str) -> None:
        command = [sys.executable, "-m", f"bench.vlm_peers.{module}", *arguments]
        self._process = PeerProcess(command)
        if self._process.line() != "ready":
            raise RuntimeError(f"{module} did not start")

    def run(self, *numbers: int) -> tuple[int, float]:
        """The tokens that it wrote, given these numbers, and the seconds that they took."""
        self._process.send(" ".join(map(str, numbers)))
        tokens, seconds = self._process.line().split()
        return int(tokens), float(seconds)

    def stop(self) -> None:
        self._process.stop()


def serve(work: Callable[[list[int]], tuple[int, float]]) -> None:
    """In the peer's process: answers each line of numbers with what is measured."""
    print(f"{MARK}ready", flush=True)
    for line in sys.stdin:
        tokens, seconds = work([int(number) for number in line.split()])
        print(f"{MARK}{tokens} {seconds}", flush=True)


def missing(*modules: str) -> list[str]:
    """Those that cannot be imported."""
    return [module for module in modules if find_spec(module) is None]
