"""How far numbers may be from those that they are compared with, by the precisions in which a model is stored
and computed.

Limits on networks are on `Difference.worst`: the noise in the worst row, as a share of what the numbers tell.
Unrelated numbers have 1.4. The limits lie above what a precision costs on random weights, which enlarge noise
from layer to layer more than trained ones do, and far below 1.4: docs/models.md has what was measured.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from vlm_stage.engines.paddleocr_vl.manifest import NetworkPrecision, Precisions
from vlm_stage.engines.paddleocr_vl.networks.device_plan import DevicePlan

CLEAR = 6.0
"""Times the limit on logits by which the first token must lead the second to be clear: the difference of two
numbers with that noise is four times its own deviation."""

_COMPUTED: Mapping[str, float] = {"f32": 0.001, "f16": 0.1, "bf16": 0.4}
"""By what a network computes in."""
_CACHED: Mapping[str, float] = {"f32": 0.0, "f16": 0.05, "bf16": 0.05, "u8": 0.2}
"""More for logits, by what keys and values are kept in."""
_COMPRESSED = 0.25
"""More for INT8 and INT4 weights: devices with eight-bit instructions round what they multiply by those."""

STORED: Mapping[NetworkPrecision, float] = {
    NetworkPrecision.FP32: 0.0,
    NetworkPrecision.FP16: 0.001,
    NetworkPrecision.INT8: 0.05,
    NetworkPrecision.INT8_CALIBRATED: 0.05,
    NetworkPrecision.INT4: 0.25,
}
"""Of a tensor's numbers, as the root of their mean squared error over that of their mean square."""

_CONVERTED: Mapping[NetworkPrecision, float] = {NetworkPrecision.FP32: 0.001, NetworkPrecision.FP16: 0.05}
"""Of a converted model against its checkpoint; none for fewer bits, whose cost only real documents tell."""


@dataclass(frozen=True, slots=True)
class Limits:
    """On `Difference.worst`, of image tokens and of logits.

    `vision` and `logits`: of the device against the same weights computed exactly. `own_logits`: of the
    device's logits of the same text against each other, where they are computed in other steps. The others
    are of the converted model against its checkpoint, None where there is no limit.
    """

    vision: float
    logits: float
    own_logits: float
    vision_against_checkpoint: float | None
    logits_against_checkpoint: float | None


def limits_of(plan: DevicePlan, stored: Precisions) -> Limits:
    """The limits for networks that are stored so, on the device of a plan."""
    vision = _COMPUTED[plan.vision_precision] + _compressed(stored.vision)
    computed = _COMPUTED[plan.inference_precision]
    decoder = computed + _CACHED[plan.kv_precision] + _compressed(stored.decoder)
    on_cpu = plan.openvino.device == "CPU"  # where a row's bits do not depend on those beside it
    networks = [_CONVERTED.get(precision) for precision in (stored.vision, stored.embeddings, stored.decoder)]
    known = [limit for limit in networks if limit is not None]
    return Limits(
        vision=vision,
        logits=max(vision, decoder),
        own_logits=computed if on_cpu else decoder,
        vision_against_checkpoint=networks[0],
        logits_against_checkpoint=max(known) if len(known) == len(networks) else None,
    )


def _compressed(precision: NetworkPrecision) -> float:
    return 0.0 if precision in _CONVERTED else _COMPRESSED
