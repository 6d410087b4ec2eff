"""The largest activations are those of every layer, and of what goes round it."""

from collections.abc import Callable

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from samples.checkpoints.checkpoint import TOY
from tests.vlm_stage.engines.paddleocr_vl.toy_weights import toy_weights
from vlm_stage.engines.paddleocr_vl.graphs.decoder import build_decoder
from vlm_stage.engines.paddleocr_vl.graphs.vision import build_vision
from vlm_stage.engines.paddleocr_vl.verification.activations import Peak, watch


def test_products_sums_with_them_and_gates_are_watched() -> None:
    x = ops.parameter([-1, 2], np.float32, name="x")
    first = ops.matmul(x, ops.constant(np.array([[3, 0], [0, 1]], np.float32)), False, True, name="first")
    biased = ops.add(first, ops.constant(np.array([[0, 5]], np.float32)))
    hidden = ops.add(x, biased)
    gated = ops.multiply(hidden, ops.relu(hidden))
    second = ops.matmul(gated, ops.constant(np.array([[-1, 0.0]], np.float32)), False, True, name="second")
    network = ov.Model([ops.result(second)], [x], "net")
    assert watch(network) == ["first", "first", "second", "second"]
    outputs = ov.Core().compile_model(network, "CPU")([np.array([[1, 2], [-4, 1]], np.float32)])
    # x @ W.T: 3 2, -12 1; and the bias, and x: 4 9, -16 7; times its positive part: 16 81, 0 49.
    assert outputs["largest_activations"].tolist() == [12, 16, 81, 16]


@pytest.mark.parametrize("build", [build_vision, build_decoder])
def test_each_product_of_the_networks_is_watched(build: Callable[..., ov.Model]) -> None:
    network = build(TOY, toy_weights)
    products = {node.get_friendly_name() for node in network.get_ops() if node.get_type_name() == "MatMul"}
    names = watch(network)
    assert set(names) == products
    residual = [name for name in names if name.endswith(("fc2", "out_proj", "o_proj"))]
    assert len(residual) == 2 * len(set(residual))
    gated = [name for name in names if name.endswith("down_proj")]
    assert len(gated) == 3 * len(set(gated))


def test_what_is_no_number_is_larger_than_all() -> None:
    small, large, odd = Peak(1.0, "a"), Peak(2.0, "b"), Peak(float("nan"), "c")
    assert small.or_larger(large) == large.or_larger(small) == large
    assert small.or_larger(odd) is odd
    assert odd.or_larger(large) is odd
