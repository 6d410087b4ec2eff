"""What the precisions change of what a model computes."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.vlm_precisions.reading import PictureReader
from vlm_stage.verify.compare import Difference, agreement, difference, worst_of
from vlm_stage.verify.reading import Reading


@dataclass(frozen=True, slots=True)
class Change:
    """What a precision changes against FP32: of image tokens and logits the `Difference`, of greedy tokens
    how many of `steps` are the same; `median_lead` is the first logit's over the second, in spreads."""

    conversion: str
    kv_cache: str
    vision: Difference
    logits: Difference
    same: int
    steps: int
    median_lead: float


def compare(work: Path, name: str, kv_cache: str, readings: Sequence[Reading]) -> Change:
    """What a converted model makes of the pictures, after the tokens of the readings."""
    print(f"{name}, KV cache {kv_cache}", file=sys.stderr, flush=True)
    vision, logits = PictureReader(work / name, kv_cache, [reading.tokens for reading in readings]).read()
    agree = agreement(logits, [reading.logits for reading in readings], lead=0.0)
    return Change(
        name,
        kv_cache,
        worst_of(
            difference(own, reading.image_tokens) for own, reading in zip(vision, readings, strict=True)
        ),
        worst_of(difference(own, reading.logits) for own, reading in zip(logits, readings, strict=True)),
        agree.same,
        agree.steps,
        agree.median_lead,
    )
