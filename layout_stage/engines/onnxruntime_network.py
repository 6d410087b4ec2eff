"""A network on onnxruntime, by its own CPU provider or by that of OpenVINO."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import onnxruntime
from numpy.typing import NDArray

from arcscribe.errors import DeviceMissing, InvalidConfig, ModelMissing
from arcscribe.inference.model_files import existing
from layout_stage.engines.onnxruntime_settings import OnnxruntimeSettings

_ERRORS_ONLY = 3
"""A log level of onnxruntime."""


class OnnxruntimeNetwork:
    """A session. `run` may be called from several threads."""

    def __init__(self, session: onnxruntime.InferenceSession) -> None:
        self._session = session
        self.input_names = tuple(port.name for port in session.get_inputs())
        first = [side for port in session.get_inputs() for side in port.shape[:1]]
        self.takes_batches = not any(isinstance(side, int) for side in first)  # open ones have names or None

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
        """The outputs, which nothing else uses."""
        outputs: Sequence[NDArray[Any]] = self._session.run(None, dict(inputs))
        return outputs


def load_onnxruntime_network(path: Path, settings: OnnxruntimeSettings) -> OnnxruntimeNetwork:
    """The network in an ONNX file.

    Raises:
        ModelMissing: the file is not there, or is not ONNX.
        InvalidConfig: the installed onnxruntime has no such provider.
        DeviceMissing: the provider has no such device.
    """
    existing(path)
    check_provider(settings.provider)
    try:
        session = onnxruntime.InferenceSession(
            path, _session_options(settings), providers=[(settings.provider, _provider_options(settings))]
        )
    except Exception as error:  # onnxruntime's own have no other class in common
        raise ModelMissing(
            f"{path} cannot be read as a model by onnxruntime, which takes ONNX",
            command="arcscribe models verify",
        ) from error
    # It falls back to the CPU without an error.
    if settings.provider not in session.get_providers():
        raise DeviceMissing(f"onnxruntime's {settings.provider} has no device {settings.device_type}")
    return OnnxruntimeNetwork(session)


def check_provider(provider: str) -> None:
    """Raises InvalidConfig, with what to install, unless onnxruntime has the provider."""
    there = onnxruntime.get_available_providers()
    if provider not in there:
        raise InvalidConfig(
            f"onnxruntime {onnxruntime.__version__} has no {provider}, but {', '.join(there)}; "
            "pip uninstall onnxruntime, then pip install onnxruntime-openvino, which takes its place"
        )


def _session_options(settings: OnnxruntimeSettings) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _ERRORS_ONLY
    options.intra_op_num_threads = settings.threads
    return options


def _provider_options(settings: OnnxruntimeSettings) -> dict[str, str]:
    if settings.provider == "CPUExecutionProvider":
        return {}
    options = {"device_type": settings.device_type}
    if settings.device_type == "CPU":
        options["precision"] = "FP32"  # not bfloat16, which some CPUs would take
        if settings.threads:
            options["num_of_threads"] = str(settings.threads)
    return options
