"""`python -m bench.embedded [--json FILE]`: the whole parse with embedded engines, against rapidocr alone.

- parse_over_rapidocr, tiny_over_rapidocr: wall time of parsing twelve pages over the time rapidocr takes to
  read them, both loaded and warm; the median over rounds in which the two take turns.
- startup_over_rapidocr: from starting the three processes until all say SERVING, compiled models cached, over
  the time from starting a process with rapidocr until its models are loaded; the median likewise.
- peak_mb_20, peak_mb_200: the most memory of `arcscribe parse` and all its processes, for 20 and 200 pages.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from arcscribe.client import Client
from arcscribe.tools.engines import EmbeddedEngine, local_settings
from arcscribe.tools.local_service import LocalService, LocalSettings
from bench.memory import peak_megabytes
from bench.pages import write_pages
from samples.render.load import load_pdf


class Peer:
    """rapidocr in its own process."""

    def __init__(self, threads: int, pages: list[Path]) -> None:
        command = [sys.executable, "-m", "bench.rapidocr_peer", str(threads), *map(str, pages)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin
        assert self._process.stdout
        self._input, self._output = self._process.stdin, self._process.stdout
        if self._output.readline().strip() != "ready":
            raise RuntimeError("rapidocr did not start")

    def read_pages(self) -> float:
        """Seconds to read all pages."""
        self._input.write("\n")
        self._input.flush()
        return float(self._output.readline().split()[0])

    def stop(self) -> None:
        self._input.close()
        self._process.wait()


def settings_for(engine: EmbeddedEngine, threads: int) -> LocalSettings:
    limits = {"openvino": {"threads": threads}}
    return local_settings(engine, LocalSettings(layout=limits, vlm=limits))


def measure_speed(engine: EmbeddedEngine, threads: int, rounds: int, folder: Path) -> float:
    """The median over rounds of our wall time over the peer's."""
    pages, document = write_pages(folder)
    peer = Peer(threads, pages)
    with LocalService(settings_for(engine, threads)) as service, Client(service.address) as client:
        client.parse(document)
        peer.read_pages()
        ratios = [
            _shown(f"{engine}", _seconds(lambda: client.parse(document)), peer.read_pages())
            for _ in range(rounds)
        ]
    peer.stop()
    return statistics.median(ratios)


def measure_startup(threads: int, rounds: int) -> float:
    """The median over rounds of our start-up time over the peer's."""
    settings = settings_for(EmbeddedEngine.PP_OCRV6, threads)
    _start_service(settings)
    return statistics.median(
        _shown("start-up", _start_service(settings), _start_peer(threads)) for _ in range(rounds)
    )


def _start_service(settings: LocalSettings) -> float:
    started = time.perf_counter()
    with LocalService(settings):
        return time.perf_counter() - started


def _start_peer(threads: int) -> float:
    started = time.perf_counter()
    peer = Peer(threads, [])
    seconds = time.perf_counter() - started
    peer.stop()
    return seconds


def measure_memory(pages: int, folder: Path) -> float:
    """Peak megabytes of parsing a PDF of so many pages from the command line."""
    document = folder / f"{pages}.pdf"
    document.write_bytes(load_pdf(pages))
    out = folder / f"{pages}.md"
    command = [sys.executable, "-m", "arcscribe.tools", "parse", str(document), "-o", str(out)]
    return peak_megabytes(command)


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _shown(what: str, ours: float, theirs: float) -> float:
    print(f"{what}: {ours:.2f} s, rapidocr {theirs:.2f} s, ratio {ours / theirs:.2f}", file=sys.stderr)
    return ours / theirs


def measure(threads: int, rounds: int, *, with_memory: bool) -> dict[str, float]:
    """All figures, by their names in the report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        figures = {
            "parse_over_rapidocr": measure_speed(EmbeddedEngine.PP_OCRV6, threads, rounds, folder),
            "tiny_over_rapidocr": measure_speed(EmbeddedEngine.PP_OCRV6_TINY, threads, rounds, folder),
            "startup_over_rapidocr": measure_startup(threads, rounds),
        }
        if with_memory:
            figures |= {"peak_mb_20": measure_memory(20, folder), "peak_mb_200": measure_memory(200, folder)}
    return {name: round(value, 3) for name, value in figures.items()}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.embedded", description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--threads", type=int, default=2, help="inference threads, for both sides")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of which the median is taken")
    parser.add_argument("--no-memory", action="store_true", help="leave out the memory of 20 and 200 pages")
    arguments = parser.parse_args()
    figures = measure(arguments.threads, arguments.rounds, with_memory=not arguments.no_memory)
    print(json.dumps(figures, indent=2))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
