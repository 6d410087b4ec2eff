"""The weights that a converted model's files hold, as the numbers that the networks multiply with."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray
from openvino import opset13 as ops

from arcscribe.inference.openvino import OpenVinoSettings, compile_network, read_network
from vlm_stage.engines.paddleocr_vl.graphs.layers import Node, is_computed
from vlm_stage.engines.paddleocr_vl.manifest import NETWORKS

_EXPANDING = frozenset({"Convert", "Multiply", "Subtract", "Reshape"})
"""What stands between a compressed weight and its use."""
_AS_FLOAT16 = "_compressed"
"""What OpenVINO puts behind the name of a constant that it stores in float16."""
_NAMELESS = "Constant_"
"""How it begins the names of constants that have none."""


@dataclass(frozen=True, slots=True, eq=False)
class ConvertedTensor:
    """A tensor by its name in transformers' state dict; `network` is its file, `shape` how that uses it."""

    network: str
    name: str
    shape: tuple[int, ...]
    _output: Any

    @property
    def count(self) -> int:
        return int(np.prod(self.shape))

    def read(self) -> NDArray[np.float32]:
        """Its numbers, as far as they survived."""
        alone = ov.Model([ops.result(self._output)], [], "weight")
        properties = {"INFERENCE_PRECISION_HINT": "f32"}
        request = compile_network(alone, OpenVinoSettings(), properties=properties).create_infer_request()
        request.infer()
        return np.array(request.get_output_tensor(0).data, np.float32)


def converted_tensors(folder: Path, names: Collection[str]) -> Iterator[ConvertedTensor]:
    """Those of the named tensors that are found in the three networks, one network in memory at a time.

    Raises:
        ModelMissing: a network cannot be read.
    """
    for file in NETWORKS:
        network = read_network(folder / file)
        for node in filter(is_computed, network.get_ordered_ops()):
            for value in node.input_values():
                if (name := _name(value, node)) in names:
                    yield ConvertedTensor(file, name, tuple(value.get_shape()), value)


def _name(value: Any, user: Node) -> str:
    """The name of the tensor that a weight was made of; a weight that changed its shape has only its
    product's."""
    source = value.get_node()
    while source.get_type_name() in _EXPANDING and not is_computed(source):
        source = source.input_value(0).get_node()
    if source.get_type_name() != "Constant":
        return ""
    name = str(source.get_friendly_name()).removesuffix(_AS_FLOAT16)
    return f"{user.get_friendly_name()}.weight" if name.startswith(_NAMELESS) else name
