"""A layout network of PP-StructureV3 on OpenVINO, from a model's folder."""

from collections.abc import Sequence
from pathlib import Path

from arcscribe.errors import ModelMissing
from arcscribe.inference.openvino import OpenVinoSettings, compile_network, read_network
from arcscribe.types import RgbImage
from layout_stage.detection.detection_options import DetectionOptions, with_options
from layout_stage.detection.detections import Detection
from layout_stage.detection.inference_config import read_inference_config
from layout_stage.detection.inputs import input_names, network_inputs
from layout_stage.detection.model_defaults import default_settings
from layout_stage.detection.postprocess import postprocess
from layout_stage.detection.raw_boxes import RawBoxes, candidates
from layout_stage.parts import PageSize

NETWORKS = ("inference.onnx", "inference.pdmodel", "inference.json")
"""The files that a folder may hold its network in, the best first."""


class DetectionNetwork:
    """The loaded network. `detect` may be called from several threads."""

    def __init__(self, folder: Path, openvino: OpenVinoSettings, options: DetectionOptions) -> None:
        """Reads the folder's `inference.yml`, and compiles its network.

        Raises:
            ModelMissing: a file is absent, or is not what it should be.
            DeviceMissing: OpenVINO does not see the device.
            InvalidConfig: the options do not fit the model.
        """
        self._config = read_inference_config(folder)
        self._settings = with_options(default_settings(self._config), options, self._config.labels)
        network = read_network(network_file(folder))
        self._network = compile_network(network, openvino, properties=_properties(openvino.device))
        self._check_inputs(folder)

    @property
    def name(self) -> str:
        """The model's own."""
        return self._config.name

    def detect(self, image: RgbImage) -> Sequence[Detection]:
        """What is on a page, in predicted reading order if the network predicts one.

        Raises:
            InferenceFailed: the network's outputs are not those of a layout network.
        """
        inputs = network_inputs([image], self._config)
        request = self._network.create_infer_request()
        request.infer(inputs)
        # Views, masks among them, which are not needed beyond this request.
        outputs = [request.get_output_tensor(i).data for i in range(len(self._network.outputs))]
        (page,) = candidates(RawBoxes.of(outputs), self._config.labels, 1)
        return postprocess(page, PageSize(image.shape[1], image.shape[0]), self._settings)

    def _check_inputs(self, folder: Path) -> None:
        """Raises ModelMissing unless the network takes what a layout network of its family does."""
        taken = {name for port in self._network.inputs for name in port.get_names()}
        if lacking := set(input_names(self._config)) - taken:
            raise ModelMissing(f"{folder}: its network has no input {', '.join(sorted(lacking))}")


def _properties(device: str) -> dict[str, str]:
    """Float32 on CPUs, some of which would take bfloat16, so that scores are the reference's to 1e-4."""
    return {"INFERENCE_PRECISION_HINT": "f32"} if device == "CPU" else {}


def network_file(folder: Path) -> Path:
    """The file in a model's folder that holds its network.

    Raises:
        ModelMissing: there is none.
    """
    for name in NETWORKS:
        if (folder / name).is_file():
            return folder / name
    raise ModelMissing(f"{folder} holds no {NETWORKS[0]}, nor {' or '.join(NETWORKS[1:])}")
