"""Settings with which OpenVINO cannot work are told in one line."""

from pathlib import Path

import msgspec
import numpy as np
import openvino as ov
import pytest

from arcscribe.errors import DeviceMissing, InvalidConfig
from arcscribe.inference.openvino import OpenVinoSettings, compile_network


def network() -> ov.Model:
    number = ov.op.Parameter(ov.Type.f32, ov.Shape([1]))
    return ov.Model([ov.opset13.add(number, np.ones(1, np.float32))], [number])


def test_a_cache_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    in_the_way = tmp_path / "cache"
    in_the_way.write_text("")
    with pytest.raises(InvalidConfig, match=r"for CPU with these settings: .*cache") as caught:
        compile_network(network(), OpenVinoSettings(cache_dir=str(in_the_way / "models")))
    assert "\n" not in caught.value.message


def test_a_device_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(DeviceMissing, match=r"no device GPU\.7; it sees: .*CPU"):
        compile_network(network(), OpenVinoSettings(device="GPU.7"))


def test_a_negative_number_of_threads_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="threads"):
        msgspec.toml.decode(b"threads = -1", type=OpenVinoSettings)
