"""Storing a network's weights in fewer bits, by NNCF."""

import logging
from importlib import import_module
from typing import Any

import openvino as ov
from openvino import opset13 as ops
from openvino._offline_transformations import compress_model_transformation

from arcscribe.models.conversion import INTEGERS, check_installed
from vlm_stage.engines.paddleocr_vl.manifest import NetworkPrecision

GROUP = 128
"""Weights of a row that share a scale in INT4; the widths of the published models are multiples of it."""

UNCOMPRESSED = ("position_embedding", "patch_embedding")
"""In the names of weights that stay as they are: 1.5 M of 905.6 M, through which passes all that is seen."""


def load_nncf() -> Any:
    """The package nncf, made quiet: its own progress bars would mix with ours.

    Raises:
        ModelMissing: it is not installed.
    """
    check_installed(INTEGERS)
    nncf = import_module(INTEGERS)
    nncf.set_log_level(logging.ERROR)
    return nncf


def compressed(network: ov.Model, precision: NetworkPrecision) -> ov.Model:
    """The network with weights of that precision, but `INT8_CALIBRATED`; it may be the same one, changed.

    INT8 is symmetric, a scale for each row. INT4 is symmetric, a scale for each group of a row, and INT8 for
    embeddings and the last product.

    Raises:
        ModelMissing: nncf is not installed.
    """
    assert precision is not NetworkPrecision.INT8_CALIBRATED, "that takes pictures (`calibrated`)"
    if precision is NetworkPrecision.FP32:
        return network
    if precision is NetworkPrecision.FP16:
        return to_float16(network)
    nncf = load_nncf()
    ignored = nncf.IgnoredScope(names=kept_names(network), validate=False)
    if precision is NetworkPrecision.INT8:
        mode = nncf.CompressWeightsMode.INT8_SYM
        return nncf.compress_weights(network, mode=mode, ignored_scope=ignored)
    fallback = nncf.AdvancedCompressionParameters(group_size_fallback_mode=nncf.GroupSizeFallbackMode.ADJUST)
    return nncf.compress_weights(
        network,
        mode=nncf.CompressWeightsMode.INT4_SYM,
        group_size=GROUP,
        ratio=1.0,
        backup_mode=nncf.BackupMode.INT8_SYM,
        ignored_scope=ignored,
        advanced_parameters=fallback,
    )


def to_float16(network: ov.Model) -> ov.Model:
    """Stores matrices as float16, converted back where they are used; changes the network.

    OpenVINO's own compression, the only one whose conversions it leaves to the device, also takes the
    frequencies of rotations, where float16 would be off by a radian at position 2,000, and the norms. Those
    vectors are put back.
    """
    vectors = {
        node.get_friendly_name(): node.data.copy()
        for node in network.get_ops()
        if node.get_type_name() == "Constant"
        and node.get_output_element_type(0) == ov.Type.f32
        and node.data.size == max(node.data.shape, default=1)
    }
    compress_model_transformation(network)
    for node in network.get_ops():
        name = node.get_friendly_name()
        if node.get_type_name() == "Convert" and name in vectors:
            node.output(0).replace(ops.constant(vectors[name], name=name).output(0))
    return network


def kept_names(network: ov.Model) -> list[str]:
    """The nodes whose weights stay as they are."""
    return [
        node.get_friendly_name()
        for node in network.get_ops()
        for source in node.input_values()
        if node.get_type_name() in {"Gather", "MatMul"}
        and any(
            part in name
            for part in UNCOMPRESSED
            for name in (node.get_friendly_name(), source.get_node().get_friendly_name())
        )
    ]
