"""The layers that the networks are made of."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray
from openvino import opset13 as ops

Node = Any
"""A node of OpenVINO's graph, whose package has no types that tell."""

Weights = Callable[[str], NDArray[np.float32]]
"""Gives a tensor by its name in transformers' state dict (5.24)."""

LAST = -1


@dataclass(frozen=True, slots=True)
class Layers:
    """Makes layers from a checkpoint's weights, in float32."""

    weights: Weights

    def constant(self, name: str) -> Node:
        return ops.constant(self.weights(name), name=name)

    def linear(self, x: Node, name: str, *, bias: bool) -> Node:
        """`x @ weight.T + bias`, the weight of shape (outputs, inputs)."""
        product = ops.matmul(x, self.constant(f"{name}.weight"), False, True, name=name)
        return ops.add(product, self.constant(f"{name}.bias")) if bias else product

    def layer_norm(self, x: Node, name: str, epsilon: float) -> Node:
        """Normalised over the last axis, scaled and shifted (Ba et al. 2016)."""
        normal = ops.mvn(x, indices(LAST), True, epsilon, "inside_sqrt")
        return ops.add(ops.multiply(normal, self.constant(f"{name}.weight")), self.constant(f"{name}.bias"))

    def rms_norm(self, x: Node, name: str, epsilon: float) -> Node:
        """Divided by the root of the mean square over the last axis, and scaled (Zhang and Sennrich 2019)."""
        mean = ops.reduce_mean(ops.power(x, scalar(2.0)), indices(LAST), True)
        root = ops.sqrt(ops.add(mean, scalar(epsilon)))
        return ops.multiply(ops.multiply(x, ops.divide(scalar(1.0), root)), self.constant(f"{name}.weight"))


def network_input(name: str, dtype: str, sizes: list[int]) -> Node:
    """A network's input; -1 stands for a size that is open."""
    node = ops.parameter(ov.PartialShape(sizes), getattr(ov.Type, dtype), name=name)
    node.output(0).set_names({name})
    return node


def network_output(node: Node, name: str) -> Node:
    """A network's output, known by a name."""
    node.output(0).set_names({name})
    return ops.result(node, name=name)


def scalar(value: float) -> Node:
    """A float32 without axes."""
    return ops.constant(np.array(value, np.float32))


def index(value: int) -> Node:
    """An int64 without axes."""
    return ops.constant(np.array(value, np.int64))


def indices(*values: int) -> Node:
    """Int64s along one axis: sizes, axes or permutations."""
    return ops.constant(np.array(values, np.int64))


def size_of(node: Node, axis: int) -> Node:
    """The size of an axis, as an int64 without axes."""
    return ops.gather(ops.shape_of(node), index(axis), index(0))


def is_computed(node: Node) -> bool:
    """Whether it depends on the inputs: all of those have open shapes, and no weight has one."""
    return bool(node.get_output_partial_shape(0).is_dynamic)


def rotated(x: Node, cos: Node, sin: Node, head_dim: int) -> Node:
    """Rotary position embedding of x over its last axis, its halves against each other (Su et al. 2021)."""
    half = head_dim // 2
    first = ops.slice(x, indices(0), indices(half), indices(1), indices(LAST))
    second = ops.slice(x, indices(half), indices(head_dim), indices(1), indices(LAST))
    turned = ops.concat([ops.multiply(second, scalar(-1.0)), first], LAST)
    return ops.add(ops.multiply(x, cos), ops.multiply(turned, sin))
