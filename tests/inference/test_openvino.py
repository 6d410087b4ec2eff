"""Settings with which OpenVINO cannot work are told in one line."""

import sys
from pathlib import Path

import msgspec
import numpy as np
import openvino as ov
import pytest

from arcscribe.errors import DeviceMissing, InvalidConfig
from arcscribe.inference import openvino
from arcscribe.inference.openvino import OpenVinoSettings, check_cache_dir, compile_network


def network() -> ov.Model:
    number = ov.op.Parameter(ov.Type.f32, ov.Shape([1]))
    return ov.Model([ov.opset13.add(number, np.ones(1, np.float32))], [number])


@pytest.mark.parametrize(("below", "reason"), [("", "it is a file"), ("models", "Not a directory")])
def test_a_cache_in_whose_place_a_file_stands_is_told(tmp_path: Path, below: str, reason: str) -> None:
    (tmp_path / "cache").write_text("")
    folder = str(tmp_path / "cache" / below)
    with pytest.raises(InvalidConfig) as caught:
        compile_network(network(), OpenVinoSettings(cache_dir=folder))
    assert caught.value.message == f'cache_dir = "{folder}" cannot hold compiled models: {reason}'


@pytest.mark.skipif(sys.platform != "linux", reason="where /proc is a folder that takes no files")
def test_a_cache_that_cannot_be_written_is_told() -> None:
    with pytest.raises(InvalidConfig, match=r'^cache_dir = "/proc/self" cannot hold compiled models: '):
        compile_network(network(), OpenVinoSettings(cache_dir="/proc/self"))


def test_a_cache_is_made_where_there_is_none(tmp_path: Path) -> None:
    check_cache_dir(str(tmp_path / "cache" / "models"))
    assert list(tmp_path.rglob("*")) == [tmp_path / "cache", tmp_path / "cache" / "models"]


def test_a_device_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(DeviceMissing, match=r"no device GPU\.7; it sees: .*CPU"):
        compile_network(network(), OpenVinoSettings(device="GPU.7"))


def test_a_negative_number_of_threads_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="threads"):
        msgspec.toml.decode(b"threads = -1", type=OpenVinoSettings)


def test_a_precision_that_the_device_cannot_do_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openvino, "_capabilities", lambda _: ("FP32", "INT8"))
    with pytest.raises(InvalidConfig) as caught:
        compile_network(network(), OpenVinoSettings(inference_precision="f16"))
    assert caught.value.message == 'inference_precision = "f16": CPU computes in f32'


def test_a_precision_is_the_compiled_networks() -> None:
    compiled = compile_network(network(), OpenVinoSettings(inference_precision="f32"))
    assert compiled.get_property("INFERENCE_PRECISION_HINT") == ov.Type.f32
