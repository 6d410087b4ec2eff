"""Compiling a model with OpenVINO, in one place, so that what a device wants is decided once."""

from pathlib import Path
from typing import Any

import msgspec
import openvino as ov

from arcscribe.errors import DeviceMissing, ModelMissing


class OpenVinoSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where and how a network runs. `threads` 0 leaves the number to OpenVINO; it counts on a CPU only."""

    device: str = "CPU"
    threads: int = 0
    cache_dir: str = ""
    """A folder for compiled models; empty: none is kept."""


def version() -> str:
    """OpenVINO's own version, with its build."""
    return str(ov.get_version())


def available_devices() -> tuple[str, ...]:
    """The names of the devices OpenVINO sees, such as `CPU` and `GPU.0`."""
    return tuple(ov.Core().available_devices)


def compile_model(
    path: Path, settings: OpenVinoSettings, shape: dict[str, list[int]] | None = None
) -> ov.CompiledModel:
    """A network ready for inference.

    Args:
        path: an ONNX, OpenVINO IR or Paddle file.
        settings: device and threads.
        shape: fixed input shapes by input name, where the file leaves them open; -1 leaves a dimension open.

    Raises:
        ModelMissing: the file is not there or is not a model.
        DeviceMissing: OpenVINO does not see the device.
    """
    core = ov.Core()
    if not path.is_file():
        raise ModelMissing(f"{path} is not there", command="arcscribe models pull")
    if settings.device.split(".")[0] not in {name.split(".")[0] for name in core.available_devices}:
        seen = ", ".join(core.available_devices) or "none"
        raise DeviceMissing(f"OpenVINO sees no device {settings.device}; it sees: {seen}")
    try:
        model = core.read_model(path)
    except RuntimeError as error:
        raise ModelMissing(f"{path} cannot be read as a model", command="arcscribe models verify") from error
    if shape:
        model.reshape(shape)
    return core.compile_model(model, settings.device, _properties(settings))


def _properties(settings: OpenVinoSettings) -> dict[str, Any]:
    properties: dict[str, Any] = {"PERFORMANCE_HINT": "LATENCY"}
    if settings.device == "CPU" and settings.threads:
        properties["INFERENCE_NUM_THREADS"] = settings.threads
    if settings.cache_dir:
        properties["CACHE_DIR"] = settings.cache_dir
    return properties
