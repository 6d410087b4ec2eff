"""How fast a device is, in steps as greedy decoding runs them."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median

from vlm_stage.engines.paddleocr_vl.inputs.images import Patches
from vlm_stage.engines.paddleocr_vl.networks.vision_encoder import VisionEncoder
from vlm_stage.verify.decoding import Text
from vlm_stage.verify.stepper import Stepper

_STEPS = 16
"""Of which the median counts."""
_ROUNDS = 2
"""Of which the fastest counts: the first compiles, where the device does that at first use."""


def tokens_per_second(stepper: Stepper, texts: Sequence[Text]) -> float:
    """Of texts that are written side by side, each behind its prompt, which must be in the cache of its
    place."""
    seconds = []
    for step in range(_STEPS):
        ends = [len(text.prompt) + step + 1 for text in texts]
        parts = [
            Text(text.prompt, [text.tokens[0]] * (step + 2)).part(place, end - 1, end)
            for place, (text, end) in enumerate(zip(texts, ends, strict=True))
        ]
        seconds.append(_seconds(partial(stepper.run_greedily, parts)))
    return len(texts) / median(seconds)


def patches_per_second(vision: VisionEncoder, row: Sequence[Patches]) -> float:
    """Of pictures that are encoded in one row."""

    def encode() -> None:
        vision.start(row)
        vision.collect()

    seconds = [_seconds(encode) for _ in range(_ROUNDS)]
    return sum(len(crop.values) for crop in row) / min(seconds)


def _seconds(run: Callable[[], None]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
