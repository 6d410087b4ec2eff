"""The peer: transformers' `generate`, float32, one crop after another.

For each line of crop numbers it generates TOKENS tokens for each of them behind a prompt of text as long as
the crop's, and says how long those after the first took: reading the prompt is left out, as it is for all.
"""

import sys
import time
from typing import Any

import torch
from transformers import LogitsProcessorList, PaddleOCRVLForConditionalGeneration
from transformers.utils import logging

from bench.vlm_peers.process import serve

TOKENS = 9
FIRST_ID = 1000
"""Of a prompt's tokens, which are text: what they say does not matter to its speed."""


class Clock:
    """Called by `generate` before it chooses a token; notes when."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def __call__(self, ids: Any, scores: Any) -> Any:  # noqa: ARG002  # generate gives both
        self.times.append(time.perf_counter())
        return scores


def main() -> None:
    threads, folder, *lengths = sys.argv[1:]
    torch.set_num_threads(int(threads))
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    model = PaddleOCRVLForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()

    def generate(crops: list[int]) -> tuple[int, float]:
        clocks = [_generate(model, int(lengths[crop])) for crop in crops]
        tokens = sum(len(clock.times) - 1 for clock in clocks)
        return tokens, sum(clock.times[-1] - clock.times[0] for clock in clocks)

    generate([0])
    serve(generate)


def _generate(model: Any, length: int) -> Clock:
    clock, ids = Clock(), torch.arange(FIRST_ID, FIRST_ID + length)[None]
    with torch.inference_mode():
        model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            min_new_tokens=TOKENS,
            max_new_tokens=TOKENS,
            do_sample=False,
            use_cache=True,
            logits_processor=LogitsProcessorList([clock]),
        )
    return clock


if __name__ == "__main__":
    main()
