"""`python -m bench.layout [--json FILE]`: our `openvino` engine beside paddlex's LayoutDetection.

- openvino_over_paddlex_ort: the time that paddlex 3.7.2 takes with its engine `onnxruntime`, over ours; more
  than 1 means that ours is faster.
- openvino_over_paddlex_paddle: the same with its engine `paddle`, by the faster of its two ways: Paddle's own
  kernels, and oneDNN's.

All run one RT-DETR-L of PP-DocLayout_plus-L's sizes with random weights (`bench.layout_peers.graph`), with as
many threads, from pixels of a page to regions with the settings of PP-StructureV3. The sides take turns, each
through all pages; a ratio is the median over rounds.
"""

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from arcscribe.inference.openvino import OpenVinoSettings
from bench.layout_peers.measured import Measured, figures, speed_ratios, times
from bench.layout_peers.ours import Ours
from bench.layout_peers.process import PaddlexPeer, PeerMissing, write_graph
from bench.pages import write_pages

ROOT = Path(__file__).parent.parent
PEERS = ("onnxruntime", "paddle", "paddle-onednn")


class Side(Protocol):
    """Ours, or a peer."""

    def measure(self) -> Measured:
        """One turn through all pages."""
        ...


def measure(sides: Mapping[str, Side], rounds: int, order: Sequence[str]) -> dict[str, list[Measured]]:
    """So many turns of each side, after one that warms it up; every second round in the opposite order."""
    turns = defaultdict(list)
    for number in range(rounds + 1):
        for name in order if number % 2 else reversed(order):
            turn = sides[name].measure()
            if number:
                turns[name].append(turn)
    return turns


def report(turns: Mapping[str, Sequence[Measured]], pages: int) -> dict[str, float]:
    """Prints each side's times, and gives the ratios by their names in the report."""
    ours = turns["openvino"]
    ratios = speed_ratios(ours, {name: of for name, of in turns.items() if name != "openvino"})
    for name, of in turns.items():
        page = times(of, pages)
        beside = "" if name == "openvino" else f", {page.outside:.3f} s of it outside the network"
        ratio = f"; takes {ratios[name]:.2f} times as long as ours" if name in ratios else ""
        regions = of[0].regions
        print(f"{name}: {page.seconds:.3f} s a page{beside}; {regions} regions{ratio}", file=sys.stderr)
    return {name: round(value, 3) for name, value in figures(ratios).items()}


def run(arguments: argparse.Namespace) -> dict[str, float]:
    """The whole benchmark.

    Raises:
        PeerMissing: the environment of the peers lacks something; it has said what.
    """
    if not arguments.paddle_python.is_file():
        raise PeerMissing(f"there is no {arguments.paddle_python}; `make bench-layout` makes it")
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        pages = write_pages(Path(name))[0][: arguments.pages]
        graph = arguments.graph or Path(name) / "graph"
        write_graph(arguments.paddle_python, graph, pages[0])
        settings = OpenVinoSettings(
            threads=arguments.threads, inference_precision=arguments.inference_precision
        )
        sides: dict[str, Side] = {"openvino": Ours(graph, settings, pages)}
        for engine in arguments.peers:
            peer = PaddlexPeer(arguments.paddle_python, engine, arguments.threads, graph, pages)
            stack.callback(peer.stop)
            sides[engine] = peer
        return report(measure(sides, arguments.rounds, list(sides)), len(pages))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.layout", description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument(
        "--paddle-python", type=Path, default=ROOT / ".venv-paddle/bin/python", help="that has paddlex"
    )
    parser.add_argument("--graph", type=Path, help="a folder that keeps the graph for another run")
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=PEERS)
    parser.add_argument("--threads", type=int, default=2, help="inference threads, for all sides")
    parser.add_argument("--inference-precision", default="", help="of our side, such as bf16; default: f32")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of which the median is taken")
    parser.add_argument("--pages", type=int, default=4, help="pages of a turn, of the twelve samples")
    arguments = parser.parse_args()
    try:
        found = run(arguments)
    except PeerMissing as missing:
        sys.exit(f"bench.layout: {missing}")
    print(json.dumps(found, indent=2))
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
