"""The peer: paddlex's LayoutDetection on one of its engines, in a process and an environment of its own.

    python -m bench.layout_peers.paddlex_peer ENGINE THREADS FOLDER PAGE...

Says `ready` once the network is loaded; then, for each line it is given, it finds the regions of all pages,
one after another, and says how many seconds that took, how many of them the network, and how many regions it
found.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from paddlex.inference import create_predictor
from PIL import Image

from bench.layout_peers.measured import Measured
from bench.peer_process import MARK
from tests.reference_paddlex.cases import cases_for, predict_arguments
from tests.reference_paddlex.families import FAMILIES

FAMILY = next(family for family in FAMILIES if family.model_name == "PP-DocLayout_plus-L")
ENGINES: dict[str, Callable[[int], dict[str, Any]]] = {
    "onnxruntime": lambda threads: {
        "engine": "onnxruntime",
        "engine_config": {"intra_op_num_threads": threads},
    },
    "paddle": lambda threads: {
        "engine": "paddle",
        "engine_config": {"run_mode": "paddle", "cpu_threads": threads},
    },
    "paddle-onednn": lambda threads: {
        "engine": "paddle",
        "engine_config": {"run_mode": "mkldnn", "cpu_threads": threads},
    },
}


class TimedRunner:
    """paddlex's runner of a network, and the seconds spent in it."""

    def __init__(self, runner: Any) -> None:
        self._runner = runner
        self.seconds = 0.0

    def __call__(self, inputs: Any) -> Any:
        started = time.perf_counter()
        outputs = self._runner(inputs)
        self.seconds += time.perf_counter() - started
        return outputs


class Peer:
    """A loaded predictor with the settings that PP-StructureV3's pipeline gives it."""

    def __init__(self, engine: str, threads: int, folder: str) -> None:
        self._predictor = create_predictor(
            FAMILY.model_name, model_dir=folder, device="cpu", **ENGINES[engine](threads)
        )
        self._runner = self._predictor.runner = TimedRunner(self._predictor.runner)
        self._arguments = predict_arguments(cases_for(FAMILY)["pipeline"], FAMILY)

    def measure(self, pages: list[NDArray[np.uint8]]) -> Measured:
        """All pages, BGR as paddlex wants them, one after another."""
        self._runner.seconds = 0.0
        started = time.perf_counter()
        regions = sum(len(self._regions(page)) for page in pages)
        return Measured(time.perf_counter() - started, self._runner.seconds, regions)

    def _regions(self, page: NDArray[np.uint8]) -> Any:
        (found,) = self._predictor([page], **self._arguments)
        return found["boxes"]


def read_bgr(path: Path) -> NDArray[np.uint8]:
    """A picture of shape (height, width, 3), blue first, as paddlex wants it."""
    with Image.open(path) as picture:
        return np.ascontiguousarray(np.asarray(picture.convert("RGB"))[..., ::-1])


def main() -> None:
    engine, threads, folder, *paths = sys.argv[1:]
    pages = [read_bgr(Path(path)) for path in paths]
    peer = Peer(engine, int(threads), folder)
    print(f"{MARK}ready", flush=True)
    for _ in sys.stdin:
        print(f"{MARK}{peer.measure(pages).line()}", flush=True)


if __name__ == "__main__":
    main()
