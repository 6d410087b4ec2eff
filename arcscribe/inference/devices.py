"""What OpenVINO can run networks on, told to people."""

from dataclasses import dataclass

from arcscribe.inference.openvino import core, reason_of


@dataclass(frozen=True, slots=True)
class Device:
    """What OpenVINO runs networks on. `memory_bytes` is a GPU's; 0 for a CPU, or where nobody tells."""

    name: str
    full_name: str
    memory_bytes: int = 0

    def __str__(self) -> str:
        memory = f", {self.memory_bytes / 1e9:.1f} GB" if self.memory_bytes else ""
        return f"{self.name} ({self.full_name}{memory})"


def describe_devices() -> tuple[Device, ...]:
    """The devices OpenVINO sees, with what they are."""
    return tuple(
        Device(name, str(core().get_property(name, "FULL_DEVICE_NAME")), _memory_bytes(name))
        for name in core().available_devices
    )


def why_no_gpu() -> str:
    """Why OpenVINO sees no GPU, in its own words; empty if it sees one, or gives no reason."""
    try:
        core().get_property("GPU", "FULL_DEVICE_NAME")
    except RuntimeError as error:
        return reason_of(error).rpartition('.so": ')[2]  # behind the plugin's file
    return ""


def _memory_bytes(device: str) -> int:
    if not device.startswith("GPU"):
        return 0
    try:
        return int(core().get_property(device, "GPU_DEVICE_TOTAL_MEM_SIZE"))
    except RuntimeError:
        return 0
