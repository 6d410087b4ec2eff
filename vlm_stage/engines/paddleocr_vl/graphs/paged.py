"""The decoder over paged attention: a flat batch of tokens of many sequences, and the choice of the next."""

import math

import numpy as np
import openvino as ov
from openvino import opset13 as ops
from openvino._offline_transformations import paged_attention_transformation

from vlm_stage.engines.paddleocr_vl.graphs.decoder import COS, SIN
from vlm_stage.engines.paddleocr_vl.graphs.layers import (
    LAST,
    Node,
    index,
    indices,
    network_input,
    network_output,
    scalar,
)

GROUP = 256
"""Logits that are compared together; a power of two."""


def to_paged(decoder: ov.Model) -> None:
    """Turns the stateful decoder of `build_decoder` into one without state, in place.

    Inputs, for N sequences and T tokens: `inputs_embeds` f32 [T, hidden], `cos` and `sin` f32 [T, head_dim],
    `logits_idx` i64 [R], `max_context_len` i32, `past_lens` i32 [N], `subsequence_begins` i32 [N + 1],
    `block_indices_begins` i32 [N + 1], `block_indices` i32, for each layer `key_cache.i` and `value_cache.i`,
    whose shapes the device decides, and `sampled_rows` i64 [K]. Outputs, for the R rows wanted: `token` i32
    [R, 1], the likeliest, and `probability` f32 [R, 1]; `logits` f32 [K, vocabulary] of those rows that are
    to be sampled, so that a greedy step moves no logits from the device.

    The transformation is a private one of OpenVINO (2026.4); openvino.genai's C++ continuous batching runs
    the same.
    """
    width = decoder.input("inputs_embeds").get_partial_shape()[2]
    paged_attention_transformation(decoder)
    decoder.input("inputs_embeds").get_node().set_partial_shape(ov.PartialShape([-1, width]))
    _take_rotation(decoder)
    _choose_tokens(decoder)
    decoder.validate_nodes_and_infer_types()


def _take_rotation(decoder: ov.Model) -> None:
    """Makes inputs of cosine and sine, in the place of positions.

    A GPU computes in float16, in which a position of some thousand times a frequency is off by a radian.
    """
    named = {node.get_friendly_name(): node for node in decoder.get_ops()}
    for name in (COS, SIN):
        node = named[name]
        dim = node.get_output_partial_shape(0)[2].get_length()
        given = network_input(name, "f32", [-1, dim])
        node.output(0).replace(ops.unsqueeze(given, indices(1)).output(0))
        decoder.add_parameters([given])
    decoder.remove_parameter(decoder.input("position_ids").get_node())


def _choose_tokens(decoder: ov.Model) -> None:
    result = decoder.output("logits").get_node()
    logits = result.input_value(0)
    token, best = _likeliest(logits.get_node())
    apart = ops.exp(ops.subtract(logits, best))
    probability = ops.divide(scalar(1.0), ops.reduce_sum(apart, indices(LAST), True))
    rows = network_input("sampled_rows", "i64", [-1])
    sampled = ops.gather(logits, rows, index(0))
    logits.get_tensor().set_names(set())
    decoder.remove_result(result)
    outputs = [(token, "token"), (probability, "probability"), (sampled, "logits")]
    decoder.add_results([network_output(node, name) for node, name in outputs])
    decoder.add_parameters([rows])


def _likeliest(logits: Node) -> tuple[Node, Node]:
    """The index of the largest of each row, i32 [R, 1], and that logit.

    First the largest of each group, then the largest group, then the place in it: one pass over the logits,
    which TopK over 100,000 of them takes five times as long for (OpenVINO 2026.4 on a CPU).
    """
    vocabulary = logits.get_output_partial_shape(0)[1].get_length()
    size = math.gcd(vocabulary, GROUP)
    groups = ops.reshape(logits, indices(-1, vocabulary // size, size), False)
    largest = ops.reduce_max(groups, indices(LAST), False)
    group = ops.topk(largest, index(1), LAST, "max", "value", "i32")
    inside = ops.gather(groups, group.output(1), index(1), 1)
    place = ops.squeeze(ops.topk(inside, index(1), LAST, "max", "value", "i32").output(1), indices(LAST))
    before = ops.multiply(group.output(1), ops.constant(np.array(size, np.int32)))
    return ops.add(before, place), group.output(0)
