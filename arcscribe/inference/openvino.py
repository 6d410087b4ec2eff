"""Compiling a model with OpenVINO, in one place, so that what a device wants is decided once."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec
import openvino as ov

from arcscribe.errors import DeviceMissing, InvalidConfig, ModelMissing
from arcscribe.inference.model_files import existing


class OpenVinoSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where and how a network runs. `threads` 0 leaves the number to OpenVINO; it counts on a CPU only."""

    device: str = "CPU"
    threads: Annotated[int, msgspec.Meta(ge=0)] = 0
    cache_dir: str = ""
    """A folder for compiled models, made if it is not there; empty: none is kept."""
    inference_precision: Literal["", "f32", "f16", "bf16"] = ""
    """What networks compute in; empty: what the device, or who runs the network, thinks right."""


@cache
def core() -> ov.Core:
    """One for the process: a tensor in a GPU's memory belongs to the core that compiled the network."""
    return ov.Core()


def version() -> str:
    """OpenVINO's own version, with its build."""
    return str(ov.get_version())


def available_devices() -> tuple[str, ...]:
    """The names of the devices OpenVINO sees, such as `CPU` and `GPU.0`."""
    return tuple(core().available_devices)


def read_network(path: Path) -> ov.Model:
    """A network as its file holds it: ONNX, OpenVINO IR or Paddle.

    Raises:
        ModelMissing: the file is not there, or is not a model.
    """
    existing(path)
    try:
        return core().read_model(path)
    except (RuntimeError, UnicodeError) as error:  # the second where its message quotes a damaged name
        raise ModelMissing(f"{path} cannot be read as a model", command="arcscribe models verify") from error


def compile_network(
    model: ov.Model,
    settings: OpenVinoSettings,
    streams: int = 1,
    properties: Mapping[str, str] = MappingProxyType({}),
) -> ov.CompiledModel:
    """A network ready for inference.

    Args:
        model: with fixed or open shapes.
        settings: device, threads and cache.
        streams: how many requests run beside each other on a CPU, which share its threads.
        properties: more of OpenVINO's own, such as `INFERENCE_PRECISION_HINT`.

    Raises:
        DeviceMissing: OpenVINO does not see the device.
        InvalidConfig: it sees the device, but cannot compile with these settings.
    """
    check_device(settings.device)
    check_cache_dir(settings.cache_dir)
    check_precision(settings.device, settings.inference_precision)
    try:
        return core().compile_model(model, settings.device, {**_properties(settings, streams), **properties})
    except RuntimeError as error:
        raise InvalidConfig(
            f"OpenVINO cannot compile a network for {settings.device} with these settings: {reason_of(error)}"
        ) from error


def reason_of(error: RuntimeError) -> str:
    """What OpenVINO says of an error in its last line; those before it tell where in its source it was."""
    return str(error).strip().rpartition("\n")[2]


def remote_copy(tensor: ov.Tensor, device: str) -> Any:
    """A copy of a tensor in a GPU's own memory."""
    context = core().get_default_context(device)
    remote = context.create_tensor(tensor.get_element_type(), tensor.get_shape(), {})
    remote.copy_from(tensor)
    return remote


def check_device(device: str) -> None:
    """Raises DeviceMissing, with what OpenVINO sees, unless it sees the device."""
    seen = available_devices()
    if not _is_seen(device, seen):
        there = ", ".join(seen) or "none"
        raise DeviceMissing(f"OpenVINO sees no device {device}; it sees: {there}")


def check_precision(device: str, precision: str) -> None:
    """Raises InvalidConfig unless the device computes in that precision; empty is any device's own.

    OpenVINO itself takes another one without a word.
    """
    if not precision:
        return
    able = [name for name, word in _PRECISIONS.items() if word in _capabilities(device)]
    if precision not in able:
        raise InvalidConfig(f'inference_precision = "{precision}": {device} computes in {", ".join(able)}')


_PRECISIONS = {"f32": "FP32", "f16": "FP16", "bf16": "BF16"}
"""By our own words, OpenVINO's words for what a device can do."""


def _capabilities(device: str) -> Sequence[str]:
    return tuple(core().get_property(device, "OPTIMIZATION_CAPABILITIES"))


@cache
def check_cache_dir(cache_dir: str) -> None:
    """Makes the folder for compiled models, if it is to be one, and sees once whether files can be written.

    OpenVINO says nothing of one where they cannot, and compiles anew at every start.

    Raises:
        InvalidConfig: it is no folder, or cannot be written to.
    """
    if not cache_dir:
        return
    try:
        Path(cache_dir).mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=cache_dir):
            return
    except OSError as error:
        reason = "it is a file" if isinstance(error, FileExistsError) else error.strerror
        raise InvalidConfig(f'cache_dir = "{cache_dir}" cannot hold compiled models: {reason}') from error


def compile_model(path: Path, settings: OpenVinoSettings) -> ov.CompiledModel:
    """The network in a file, ready for inference.

    Raises:
        ModelMissing: the file is not there, or is not a model.
        DeviceMissing: OpenVINO does not see the device.
        InvalidConfig: as `compile_network` says.
    """
    return compile_network(read_network(path), settings)


def _is_seen(device: str, seen: Sequence[str]) -> bool:
    # Of several GPUs, OpenVINO lists GPU.0 and GPU.1, and takes GPU for the first; of one it lists GPU, and
    # takes GPU.0 for it.
    return device in seen or f"{device}.0" in seen or device.removesuffix(".0") in seen


def _properties(settings: OpenVinoSettings, streams: int) -> dict[str, Any]:
    properties: dict[str, Any] = {"PERFORMANCE_HINT": "LATENCY"}
    if settings.device == "CPU" and streams > 1:
        properties = {"NUM_STREAMS": str(streams)}
    if settings.device == "CPU" and settings.threads:
        properties["INFERENCE_NUM_THREADS"] = settings.threads
    if settings.cache_dir:
        properties["CACHE_DIR"] = settings.cache_dir
    if settings.inference_precision:
        properties["INFERENCE_PRECISION_HINT"] = settings.inference_precision
    return properties
