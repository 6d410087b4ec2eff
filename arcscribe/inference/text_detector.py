"""Finding text lines in an image with a PP-OCR detector (differentiable binarization) on OpenVINO.

Liao et al., "Real-time Scene Text Detection with Differentiable Binarization", AAAI 2020; for what becomes of
its map see `arcscribe.inference.probability_map`.
"""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from arcscribe.geometry import shifted_line
from arcscribe.inference.openvino import OpenVinoSettings, compile_model
from arcscribe.inference.probability_map import lines_from_map
from arcscribe.types import RgbImage, TextLine

_MIN_SIDE = 736
"""Images with a shorter side below it are enlarged; `Det.limit_side_len` of rapidocr 3.10."""
_MAX_SIDE = 2000
"""Images with a longer side above it are shrunk; `Global.max_side_len` of rapidocr 3.10."""
_TALL = 4.0
"""Height over width from which a strip is read in windows: a page of A4 has 1.4, two of them on end 2.8."""
_NARROWEST_STRIP = 32
_SHORTEST_MARGIN = 256
"""In pixels: less is not read at all, or makes more windows than it is worth."""
_STRIDE = 32
"""What the network shrinks its input by: sides are multiples of it."""
_STEP = 64
"""Longer sides are multiples of this, which bounds the number of shapes that OpenVINO compiles for."""


class TextDetector:
    """A loaded detector. `detect` may be called from several threads, one at a time each."""

    def __init__(self, path: Path, settings: OpenVinoSettings) -> None:
        """Raises ModelMissing or DeviceMissing."""
        self._network = compile_model(path, settings)

    def detect(self, image: RgbImage) -> tuple[TextLine, ...]:
        """The text lines of an image of shape (height, width, 3), from top to bottom, in its own pixels.

        A strip much taller than wide (a long screenshot, a till receipt) is read window by window: shrunk as
        a whole, its lines would be too small.
        """
        height, width = image.shape[:2]
        if min(height, width) < 2:
            return ()
        if height <= _TALL * width or width < _NARROWEST_STRIP:
            return self._detect(image)
        return tuple(
            shifted_line(line, 0, window.top)
            for window in windows(height, width)
            for line in self._detect(image[window.top : window.bottom])
            if window.owns(line)
        )

    def _detect(self, image: RgbImage) -> tuple[TextLine, ...]:
        height, width = image.shape[:2]
        request = self._network.create_infer_request()
        request.infer([network_input(image, input_size(height, width))])
        return lines_from_map(request.get_output_tensor(0).data[0, 0], height, width)


@dataclass(frozen=True, slots=True)
class Window:
    """Rows of a strip: those shown to the network, and, of them, those whose lines it answers for."""

    top: int
    bottom: int
    own_top: int
    own_bottom: int

    def owns(self, line: TextLine) -> bool:
        """Whether the middle of a line, in pixels of the window, is in its own rows."""
        return self.own_top <= self.top + line.box.center[1] < self.own_bottom


def windows(height: int, width: int) -> tuple[Window, ...]:
    """Windows about as tall as the strip is wide; they overlap by half, so that each line is whole in one."""
    margin = max(_SHORTEST_MARGIN, width // 4)
    edges = [*range(0, height, 2 * margin), height]
    return tuple(
        Window(max(0, top - margin), min(height, bottom + margin), top, bottom)
        for top, bottom in pairwise(edges)
    )


def input_size(height: int, width: int) -> tuple[int, int]:
    """The (height, width) in pixels at which an image of that height and width is shown to the network."""
    scale = max(1.0, _MIN_SIDE / min(height, width))
    scale = min(scale, _MAX_SIDE / max(height, width))
    return _rounded(height * scale), _rounded(width * scale)


def network_input(image: RgbImage, size: tuple[int, int]) -> NDArray[np.float32]:
    """A float32 array of shape (1, 3, height, width), BGR, values from -1 to 1."""
    height, width = size
    resized = cv2.resize(image, (width, height), interpolation=cv2.INTER_LINEAR)
    blob = cv2.dnn.blobFromImage(resized, scalefactor=1 / 127.5, mean=(127.5, 127.5, 127.5), swapRB=True)
    return np.asarray(blob, np.float32)


def _rounded(side: float) -> int:
    step = _STEP if side >= 8 * _STEP else _STRIDE
    return max(_STRIDE, round(side / step) * step)
