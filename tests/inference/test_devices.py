"""Devices as people are told of them."""

import pytest

from arcscribe.inference.devices import Device, describe_devices, why_no_gpu


def test_the_cpu_is_told_with_its_name_and_without_memory() -> None:
    cpu = next(device for device in describe_devices() if device.name == "CPU")
    assert cpu.full_name
    assert str(cpu) == f"CPU ({cpu.full_name})"


def test_the_memory_of_a_gpu_is_told_in_gigabytes() -> None:
    assert str(Device("GPU.1", "Arc A770", 16_225_243_136)) == "GPU.1 (Arc A770, 16.2 GB)"


def test_a_reason_is_one_line_without_the_path_of_a_plugin() -> None:
    if any(device.name.startswith("GPU") for device in describe_devices()):
        pytest.skip("there is a GPU")
    reason = why_no_gpu()
    assert reason
    assert "\n" not in reason
    assert "plugin" not in reason
