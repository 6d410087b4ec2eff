"""A CPU keeps kernels for few shapes; a GPU is told nothing of that."""

import openvino as ov
import pytest

from arcscribe.inference.openvino import OpenVinoSettings, compile_network
from vlm_stage.engines.paddleocr_vl.networks.device_plan import KEPT_KERNELS, plan_device

CAPACITY = "CPU_RUNTIME_CACHE_CAPACITY"


def tiny() -> ov.Model:
    number = ov.opset13.parameter([-1], ov.Type.f32, "number")
    return ov.Model([ov.opset13.relu(number)], [number], "tiny")


def test_a_cpu_keeps_few_and_openvino_takes_the_property() -> None:
    plan = plan_device(OpenVinoSettings("CPU"))
    for properties in (plan.vision_properties(), plan.decoder_properties()):
        assert properties[CAPACITY] == str(KEPT_KERNELS)
        compile_network(tiny(), plan.openvino, properties=properties)


@pytest.mark.parametrize("device", ["GPU", "GPU.1"])
def test_a_gpu_is_told_nothing_of_it(device: str) -> None:
    plan = plan_device(OpenVinoSettings(device))
    assert CAPACITY not in {*plan.vision_properties(), *plan.decoder_properties()}
