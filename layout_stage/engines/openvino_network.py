"""A network on OpenVINO."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import openvino as ov
from numpy.typing import NDArray

from arcscribe.inference.openvino import OpenVinoSettings, compile_network, read_network


class OpenVinoNetwork:
    """A compiled network. `run` may be called from several threads."""

    def __init__(self, compiled: ov.CompiledModel) -> None:
        self._compiled = compiled
        self.input_names = tuple(port.get_any_name() for port in compiled.inputs)
        self.takes_batches = all(_is_open(port.get_partial_shape()) for port in compiled.inputs)

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        """The outputs: no copies, but the memory of a request that nothing else uses."""
        request = self._compiled.create_infer_request()
        request.infer(dict(inputs))
        return [request.get_output_tensor(i).data for i in range(len(self._compiled.outputs))]


def _is_open(shape: ov.PartialShape) -> bool:
    return bool(shape.rank.is_dynamic or (len(shape) and shape[0].is_dynamic))


def load_openvino_network(path: Path, settings: OpenVinoSettings) -> OpenVinoNetwork:
    """The layout network in a file.

    On CPUs it computes in float32 unless the settings say otherwise: some would take bfloat16, with which
    scores are not the reference's to 1e-4.

    Raises:
        ModelMissing: the file is not there, or is not a model.
        DeviceMissing: OpenVINO does not see the device.
        InvalidConfig: the device cannot do what the settings say.
    """
    exact = settings.device == "CPU" and not settings.inference_precision
    properties = {"INFERENCE_PRECISION_HINT": "f32"} if exact else {}
    return OpenVinoNetwork(compile_network(read_network(path), settings, properties=properties))
