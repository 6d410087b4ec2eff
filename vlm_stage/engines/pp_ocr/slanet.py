"""SLANet: a table's image in, its rows and cells out.

Li et al., "PP-StructureV2", 2022; the model is RapidTable's slanet-plus.
"""

from pathlib import Path

import cv2
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from arcscribe.imagenet import normalised
from arcscribe.inference.model_files import existing
from arcscribe.types import Box, RgbImage
from vlm_stage.tables.cell_boxes import structure_of_cells
from vlm_stage.tables.structure import Structure
from vlm_stage.tables.tokens import cells_of_tokens

_SIDE = 488
"""Of the square that slanet-plus takes (RapidTable's `TablePreprocess`)."""
_START, _END = "sos", "eos"
_PLAIN_CELL = "<td></td>"
_ERRORS_ONLY = 3  # a log level of onnxruntime, which warns of this model's shapes at each load


class TableModel:
    """A loaded SLANet. It runs in onnxruntime, in one thread of a CPU: OpenVINO cannot compile its loop."""

    def __init__(self, path: Path) -> None:
        """Raises ModelMissing."""
        file = str(existing(path))
        options = onnxruntime.SessionOptions()
        options.log_severity_level = _ERRORS_ONLY
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        self._input = self._session.get_inputs()[0].name
        self._tokens = _tokens(self._session.get_modelmeta().custom_metadata_map["character"])

    def read(self, pixels: RgbImage) -> Structure | None:
        """The cells of a table of shape (height, width, 3); None where the model sees none."""
        boxes, probabilities = self._session.run(None, {self._input: table_input(pixels)})
        tokens, corners = _until_end(boxes[0], probabilities[0].argmax(axis=1), self._tokens)
        scale = max(pixels.shape[:2])
        cells = cells_of_tokens(tokens)
        return structure_of_cells(cells, [_box(quad * scale) for quad in corners])


def table_input(pixels: RgbImage) -> NDArray[np.float32]:
    """The image in the top left of a square, normalised as ImageNet's; shape (1, 3, 488, 488)."""
    height, width = pixels.shape[:2]
    scale = _SIDE / max(height, width)
    resized = cv2.resize(pixels, (max(1, int(width * scale)), max(1, int(height * scale))))
    square = np.zeros((_SIDE, _SIDE, 3), np.float32)
    square[: resized.shape[0], : resized.shape[1]] = normalised(resized)
    return square.transpose(2, 0, 1)[None]


def _tokens(metadata: str) -> tuple[str, ...]:
    """The token of each class; PaddleOCR has one for a whole cell without spans, in place of `<td>`."""
    listed = [token for token in metadata.splitlines() if token != "<td>"]
    plain = [] if _PLAIN_CELL in listed else [_PLAIN_CELL]
    return (_START, *listed, *plain, _END)


def _until_end(
    boxes: NDArray[np.float32], classes: NDArray[np.int64], names: tuple[str, ...]
) -> tuple[list[str], list[NDArray[np.float32]]]:
    """The tokens up to the end mark, and the corners, 0 to 1, that go with those that open a cell."""
    tokens, corners = [], []
    for box, index in zip(boxes, classes, strict=True):
        token = names[index]
        if token == _END:
            break
        tokens.append(token)
        if token.startswith("<td"):
            corners.append(box)
    return tokens, corners


def _box(quad: NDArray[np.float32]) -> Box:
    xs, ys = quad[0::2], quad[1::2]
    return Box(float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max()))
