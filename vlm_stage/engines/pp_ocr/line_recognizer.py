"""A PP-OCR recogniser on OpenVINO: images of lines in, text out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import openvino as ov

from arcscribe.inference.model_files import existing
from arcscribe.inference.openvino import OpenVinoSettings, compile_network, read_network
from arcscribe.types import RgbImage
from vlm_stage.engines.pp_ocr.ctc import characters_of, decode, read_dictionary
from vlm_stage.engines.pp_ocr.line_images import LINE_HEIGHT, network_input, padded_width
from vlm_stage.reading import Reading


@dataclass(frozen=True, slots=True)
class RecognizerPaths:
    """`dictionary` is None where the model's own metadata hold the characters."""

    network: Path
    dictionary: Path | None = None


class LineRecognizer:
    """A compiled recogniser. Each thread reads through a `reader` of its own."""

    def __init__(self, paths: RecognizerPaths, settings: OpenVinoSettings, parallel: int) -> None:
        """Reads and compiles the network, so that `parallel` readers run beside each other.

        Raises:
            ModelMissing: a file is not there, or is not a recogniser.
            DeviceMissing: OpenVINO does not see the device.
        """
        model = read_network(paths.network)
        self._characters = _characters(model, paths.dictionary)
        self._network = compile_network(model, msgspec.structs.replace(settings, threads=parallel), parallel)

    def reader(self) -> "LineReader":
        return LineReader(self._network.create_infer_request(), self._characters)


class LineReader:
    """One thread's way to the recogniser."""

    def __init__(self, request: ov.InferRequest, characters: tuple[str, ...]) -> None:
        self._request = request
        self._characters = characters

    def warm_up(self) -> None:
        """Reads an empty line."""
        self.read([np.full((LINE_HEIGHT, 320, 3), 255, np.uint8)])

    def read(self, images: Sequence[RgbImage]) -> list[Reading]:
        """What each line says; the images are 48 pixels high, and best of much the same width."""
        width = padded_width(max(image.shape[1] for image in images))
        self._request.infer([network_input(images, width)], share_inputs=True, share_outputs=True)
        output = self._request.get_output_tensor(0).data
        return [decode(probabilities, self._characters) for probabilities in output]


def _characters(model: ov.Model, dictionary: Path | None) -> tuple[str, ...]:
    if dictionary is None:
        return characters_of(model.get_rt_info(["framework", "character"]).astype(str))
    return read_dictionary(existing(dictionary))
