"""A PP-OCR recogniser on OpenVINO: pictures of lines in, text out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov

from arcscribe.errors import DeviceMissing, ModelMissing
from arcscribe.inference.openvino import OpenVinoSettings, available_devices
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
        if settings.device.split(".")[0] not in {name.split(".")[0] for name in available_devices()}:
            raise DeviceMissing(f"OpenVINO sees no device {settings.device}")
        model = _read_network(paths.network)
        self._characters = _characters(model, paths.dictionary)
        self._network = ov.Core().compile_model(model, settings.device, _properties(settings, parallel))

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
        """What each line says; the pictures are 48 pixels high, and best of much the same width."""
        width = padded_width(max(image.shape[1] for image in images))
        self._request.infer([network_input(images, width)], share_inputs=True, share_outputs=True)
        output = self._request.get_output_tensor(0).data
        return [decode(probabilities, self._characters) for probabilities in output]


def _read_network(path: Path) -> ov.Model:
    if not path.is_file():
        raise ModelMissing(f"{path} is not there", command="arcscribe models pull")
    try:
        return ov.Core().read_model(path)
    except RuntimeError as error:
        raise ModelMissing(f"{path} cannot be read as a model", command="arcscribe models verify") from error


def _characters(model: ov.Model, dictionary: Path | None) -> tuple[str, ...]:
    if dictionary is None:
        return characters_of(model.get_rt_info(["framework", "character"]).astype(str))
    if not dictionary.is_file():
        raise ModelMissing(f"{dictionary} is not there", command="arcscribe models pull")
    return read_dictionary(dictionary)


def _properties(settings: OpenVinoSettings, parallel: int) -> dict[str, Any]:
    properties: dict[str, Any] = {"PERFORMANCE_HINT": "LATENCY"}
    if settings.device == "CPU":
        properties = {"NUM_STREAMS": str(parallel), "INFERENCE_NUM_THREADS": parallel}
    if settings.cache_dir:
        properties["CACHE_DIR"] = settings.cache_dir
    return properties
