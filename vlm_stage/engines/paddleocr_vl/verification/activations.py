"""How large numbers grow inside the networks: float16, in which a GPU computes, ends at 65,504."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray
from openvino import opset13 as ops

from arcscribe.inference.openvino import compile_network, read_network
from vlm_stage.engines.paddleocr_vl.graphs.layers import Node, indices, is_computed, network_output
from vlm_stage.engines.paddleocr_vl.inputs.images import Patches
from vlm_stage.engines.paddleocr_vl.manifest import DECODER, VISION
from vlm_stage.engines.paddleocr_vl.model_config import VisionConfig
from vlm_stage.engines.paddleocr_vl.networks.device_plan import DevicePlan
from vlm_stage.engines.paddleocr_vl.networks.packing import pack
from vlm_stage.engines.paddleocr_vl.verification.stateful_inputs import stateful_inputs

_OUTPUT = "largest_activations"


@dataclass(frozen=True, slots=True)
class Peak:
    """The largest absolute value of all layers, infinite or NaN where one is; `where` names its layer."""

    value: float
    where: str

    def or_larger(self, other: "Peak") -> "Peak":
        """Whichever is larger; what is no number is larger than all that are."""
        return self if not other.value > self.value and not np.isnan(other.value) else other


def vision_peak(folder: Path, plan: DevicePlan, config: VisionConfig, crops: Iterable[Patches]) -> Peak:
    """Of the vision encoder and projector, over crops, at least one, each encoded by itself.

    Raises:
        ModelMissing: the folder holds no vision encoder.
    """
    network = read_network(folder / VISION)
    names = watch(network)
    compiled = compile_network(network, plan.openvino, properties=plan.vision_properties())
    request = compiled.create_infer_request()
    return reduce(
        Peak.or_larger, (_peak(request, names, pack([crop], config, plan.buckets).arrays) for crop in crops)
    )


def decoder_peak(
    folder: Path, plan: DevicePlan, prompts: Iterable[tuple[NDArray[np.float32], NDArray[np.int64]]]
) -> Peak:
    """Of the decoder, over prompts, at least one: embeddings (T, hidden) and positions (3, T).

    It is run without paged attention, which does not change how large numbers are.

    Raises:
        ModelMissing: the folder holds no decoder.
    """
    network = read_network(folder / DECODER)
    names = watch(network)
    compiled = compile_network(network, plan.openvino, properties=plan.decoder_properties())
    request = compiled.create_infer_request()
    inputs = (stateful_inputs(embeds, positions, past=0, wanted=len(embeds)) for embeds, positions in prompts)
    return reduce(Peak.or_larger, (_peak(request, names, prompt) for prompt in inputs))


def watch(network: ov.Model) -> list[str]:
    """Gives a network one more output: the largest absolute values in it.

    They are those of what leaves each matrix product, of the sum of that with what went round it, and of
    what enters the product as a product of two (the gated unit of the decoder's layers).

    Returns:
        The names of the matrix products, in the order of the output's numbers.
    """
    named = {node: name for node in network.get_ordered_ops() if (name := _name(node))}
    largest = [ops.reduce_max(ops.abs(node), _all_axes(node), False) for node in named]
    each = ops.concat([ops.unsqueeze(value, indices(0)) for value in largest], 0)
    network.add_results([network_output(each, _OUTPUT)])
    return list(named.values())


def _peak(request: Any, names: Sequence[str], inputs: dict[str, NDArray[np.generic]]) -> Peak:
    if any(True for _ in request.query_state()):
        request.reset_state()
    request.infer(inputs)
    found = request.get_tensor(_OUTPUT).data
    worst = int(np.argmax(np.nan_to_num(found, nan=np.inf)))
    return Peak(float(found[worst]), names[worst])


def _all_axes(node: Node) -> Node:
    return indices(*range(node.get_output_partial_shape(0).rank.get_length()))


def _name(node: Node) -> str | None:
    """The name of the matrix product that a node is, completes, or goes into as a product of two."""
    found = node if _is_product(node) else None
    sources = [value.get_node() for value in node.input_values()]
    if all(map(is_computed, sources)):
        match node.get_type_name():
            case "Add":
                found = next(filter(None, map(_product_with_bias, sources)), None)
            case "Multiply":
                targets = [target.get_node() for target in node.output(0).get_target_inputs()]
                found = next(filter(_is_product, targets), None)
    return str(found.get_friendly_name()) if found else None


def _is_product(node: Node) -> bool:
    """Whether it multiplies what is computed by weights."""
    if node.get_type_name() != "MatMul":
        return False
    data, weights = (value.get_node() for value in node.input_values())
    return is_computed(data) and not is_computed(weights)


def _product_with_bias(node: Node) -> Node | None:
    if node.get_type_name() == "Add":
        computed = [value.get_node() for value in node.input_values() if is_computed(value.get_node())]
        node = computed[0] if len(computed) == 1 else node
    return node if _is_product(node) else None
