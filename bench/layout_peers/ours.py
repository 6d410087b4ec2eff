"""Our side: the layout stage's `DetectionNetwork`, from pixels of a page to its detections."""

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from arcscribe.inference.openvino import OpenVinoSettings
from arcscribe.types import RgbImage
from bench.layout_peers.measured import Measured
from layout_stage.detection.detection_options import DetectionOptions
from layout_stage.engines.batch_settings import BatchSettings
from layout_stage.engines.detection_network import DetectionNetwork
from layout_stage.engines.openvino_network import load_openvino_network


class Ours:
    """The loaded network, as the stage has it."""

    def __init__(self, folder: Path, settings: OpenVinoSettings, pages: list[Path]) -> None:
        self._network = DetectionNetwork(
            folder, lambda path: load_openvino_network(path, settings), DetectionOptions(), BatchSettings()
        )
        self._pages = [_read(page) for page in pages]

    def measure(self) -> Measured:
        """One turn through all pages; the stage does not say how long its network took alone."""
        started = time.perf_counter()
        regions = sum(len(self._network.detect(page)) for page in self._pages)
        return Measured(time.perf_counter() - started, 0.0, regions)


def _read(path: Path) -> RgbImage:
    with Image.open(path) as picture:
        pixels: NDArray[np.uint8] = np.asarray(picture.convert("RGB"))
        return pixels
