"""A peer's process, and the writing of the graph, in the environment that has paddlex."""

import os
import subprocess
from pathlib import Path

from bench.layout_peers.measured import Measured
from bench.peer_process import PeerProcess

ROOT = Path(__file__).parents[2]
FILES = ("inference.onnx", "inference.json", "inference.pdiparams", "inference.yml")


class PeerMissing(Exception):
    """A peer's environment, or something in it, is not there."""


class PaddlexPeer:
    """paddlex with one of its engines."""

    def __init__(self, python: Path, engine: str, threads: int, folder: Path, pages: list[Path]) -> None:
        """Starts it, and waits until its network is loaded.

        Raises:
            PeerMissing: it did not start; it has said why.
        """
        arguments = [engine, str(threads), str(folder), *map(str, pages)]
        self._process = PeerProcess(
            [str(python), "-m", "bench.layout_peers.paddlex_peer", *arguments], ROOT, _environment(threads)
        )
        if self._process.line() != "ready":
            raise PeerMissing(f"paddlex with {engine} did not start")

    def measure(self) -> Measured:
        """One turn through all pages.

        Raises:
            PeerMissing: it ended in the middle; it has said why.
        """
        self._process.send()
        if not (line := self._process.line()):
            raise PeerMissing("paddlex ended in the middle")
        return Measured.parsed(line)

    def stop(self) -> None:
        """Ends it, and waits for that."""
        self._process.stop()


def write_graph(python: Path, folder: Path, page: Path) -> None:
    """Writes the graph unless the folder holds it.

    Raises:
        PeerMissing: the environment lacks something; it has said what.
    """
    if all((folder / name).is_file() for name in FILES):
        return
    command = [str(python), "-m", "bench.layout_peers.graph", str(folder), str(page)]
    if subprocess.run(
        command, cwd=ROOT, env=_environment(2), stdout=subprocess.DEVNULL, check=False
    ).returncode:
        raise PeerMissing("the graph could not be written; `make bench-layout` installs what that needs")


def _environment(threads: int) -> dict[str, str]:
    """No hub is asked, and libraries that read a number of threads from there have the bench's."""
    return os.environ | {
        "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "True",
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": str(threads),
    }
