"""What a device's networks compute in and keep, and combinations that OpenVINO does not compile."""

from pathlib import Path

import openvino as ov
import pytest

from arcscribe.errors import InvalidConfig
from arcscribe.inference.openvino import OpenVinoSettings
from samples.checkpoints.checkpoint import TOY, write_checkpoint
from tests.vlm_stage.convert.conversions import converted
from vlm_stage.engines.paddleocr_vl.networks.device_plan import plan_device
from vlm_stage.engines.paddleocr_vl.networks.load_networks import load_networks

CPU, GPU = OpenVinoSettings("CPU"), OpenVinoSettings("GPU.1")

has_bf16 = pytest.mark.skipif(
    "BF16" not in ov.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"),
    reason="a CPU without bfloat16 computes in float32",
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("device")
    write_checkpoint(folder / "toy")
    return converted(folder / "toy", folder / "fp32")


@pytest.mark.parametrize("precision", ["f32", "f16", "bf16"])
def test_a_cpus_cache_follows_what_it_computes_in(precision: str) -> None:
    assert plan_device(CPU, inference_precision=precision).kv_precision == precision
    assert plan_device(CPU, inference_precision=precision, kv_precision="u8").kv_precision == "u8"
    assert plan_device(CPU, vision_precision=precision).kv_precision == "f32"
    assert plan_device(GPU, inference_precision=precision).kv_precision == "f16"


@pytest.mark.parametrize("precision", ["f32", "f16", pytest.param("bf16", marks=has_bf16)])
def test_whatever_a_cpu_computes_in_compiles(precision: str, model: Path) -> None:
    plan = plan_device(CPU, inference_precision=precision)
    assert load_networks(model, TOY.vision, plan, kv_memory_mb=64).decoder.block_count > 0


def test_what_does_not_compile_names_its_settings(model: Path) -> None:
    plan = plan_device(CPU, inference_precision="f32", kv_precision="bf16")
    with pytest.raises(InvalidConfig) as caught:
        load_networks(model, TOY.vision, plan, kv_memory_mb=64)
    expected = '[paddleocr_vl] inference_precision = "f32", kv_precision = "bf16": OpenVINO cannot compile'
    assert caught.value.message.startswith(expected)
    assert "\n" not in caught.value.message
