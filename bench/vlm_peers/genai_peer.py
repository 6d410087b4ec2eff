"""The peer: openvino-genai's own continuous batching, in C++, on the same decoder.

It reads a prompt of text as long as each crop's, all at once; then, for each line with a number of steps, it
makes so many and says how long they took. Its KV cache, budget of tokens and properties are those of ours.
"""

import sys
import time
from pathlib import Path
from typing import Any

import openvino_genai as genai

from bench.vlm_peers.genai_model import make_genai_model
from bench.vlm_peers.process import serve
from vlm_stage.engines.paddleocr_vl.networks.load_networks import plan_for
from vlm_stage.engines.paddleocr_vl.settings import PaddleOcrVlSettings

GIGABYTE_MB = 1000


def main() -> None:
    threads, folder, most_tokens, *lengths = sys.argv[1:]
    pipeline = _pipeline(make_genai_model(Path(folder)), int(threads))
    options = genai.GenerationConfig()
    options.max_new_tokens = int(most_tokens)
    options.ignore_eos, options.do_sample, options.apply_chat_template = True, False, False
    handles = [
        pipeline.add_request(number, _prompt(pipeline, int(length)), [], options)
        for number, length in enumerate(lengths)
    ]
    while not all(handle.can_read() for handle in handles):
        pipeline.step()
    _read(handles)

    def decode(numbers: list[int]) -> tuple[int, float]:
        started = time.perf_counter()
        for _ in range(numbers[0]):
            pipeline.step()
        seconds = time.perf_counter() - started
        return _read(handles), seconds

    decode([2])
    serve(decode)
    for handle in handles:
        handle.cancel()
    pipeline.step()  # frees the blocks, of which it would say that they are lost


def _pipeline(folder: Path, threads: int) -> Any:
    ours, settings = PaddleOcrVlSettings(), genai.SchedulerConfig()
    settings.max_num_batched_tokens, settings.max_num_seqs = ours.token_budget, ours.max_sequences
    settings.cache_size = -(-ours.kv_memory_mb // GIGABYTE_MB)
    settings.dynamic_split_fuse, settings.enable_prefix_caching = True, False
    plan = plan_for(PaddleOcrVlSettings(threads=threads), "CPU")
    properties: dict[str, Any] = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads}
    properties |= plan.decoder_properties()
    return genai.ContinuousBatchingPipeline(folder, settings, "CPU", properties)


def _prompt(pipeline: Any, length: int) -> str:
    """Digits, each of which is a token."""
    text = "".join(str(place * place % 10) for place in range(length))
    counted = pipeline.get_tokenizer().encode(text).input_ids.shape[1]
    if counted != length:
        raise RuntimeError(f"a prompt of {length} digits is {counted} tokens")
    return text


def _read(handles: list[Any]) -> int:
    """How many tokens have been written since the last time."""
    count = 0
    for handle in handles:
        while handle.can_read():
            count += sum(len(output.generated_ids) for output in handle.read().values())
    return count


if __name__ == "__main__":
    main()
