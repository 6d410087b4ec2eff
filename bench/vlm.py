"""`python -m bench.vlm [--json FILE]`: the PaddleOCR-VL engine beside its peers, on a CPU.

The model has the published sizes, seeded random weights, and INT8 weights in the decoder. All figures are of
decoding: sixteen crops of 155 to 389 tokens of prompt are begun, and speeds are tokens a second after that.
Image tokens are random numbers of the size of text embeddings, since the vision encoder is the same work for
all. Random weights would end a text anywhere: no token ends one here, on any side, and texts stay shorter
than what the engine takes for a loop. All sides compute in float32, KV cache included, with as many threads.

- batch16_over_sequential: the engine, over the same crops one after another, each with a stateful KV cache,
  on the same IR, greedy.
- batch16_over_transformers: over transformers' `generate` in float32, with its KV cache, one crop after
  another; 8 tokens behind a prompt of text as long as each crop's.
- batch16_over_no_cache: over running the whole sequence for each token, on the same IR; one token of each
  crop, of whose logits only the last row is asked for.
- batch16_over_genai: over openvino-genai's ContinuousBatchingPipeline on the same decoder and embeddings,
  said to be a `qwen2_vl`; 16 prompts of text as long as the crops', as many steps as ours, in turn with them.
- python_share_16: what of the engine's steps at 16 crops is not inside the decoder's inference: scheduler,
  sampler, embeddings, arrays, text so far for the caller; all of `BatchReader.step`, in at least 100 steps.
- single_over_bound: one crop without a draft, over memory bandwidth / bytes of the decoder's weights.
- perfect_draft_speedup, zero_draft_cost, draft_curve: one crop with a draft, over none. A draft is the text
  itself, where so many per cent of the tokens are replaced by others.

Ours and a peer take turns, and what counts is the median of the ratios of such pairs; `raw` holds medians of
the speeds, and how often a text written with a draft was the one without. It takes about five minutes on two
cores that nothing else runs on, and 9 GB of memory. torch and transformers are needed for the one peer,
openvino-genai, openvino-tokenizers and transformers for the other; `--peers` leaves peers out, and their keys
with them.
"""

import argparse
import json
import sys
from collections.abc import Collection, Mapping
from contextlib import ExitStack
from pathlib import Path

import platformdirs

from bench.vlm_peers.bandwidth import MemoryReader
from bench.vlm_peers.batch import Batch, measure_batch
from bench.vlm_peers.crops import make_crops
from bench.vlm_peers.drafts import SingleStream, measure_single
from bench.vlm_peers.engine import Engine
from bench.vlm_peers.model import LAYERS, BenchModel, make_model
from bench.vlm_peers.process import missing
from bench.vlm_peers.starting import NEEDS, Peers

CACHE = platformdirs.user_cache_path("arcscribe") / "bench-vlm"
MOST_TOKENS = 383
"""Of a text: one more may be a loop to the engine."""
SINGLE_TOKENS = 192
SINGLE_CROPS = slice(2, None, 5)
"""Those that are also written alone: three, of 185 to 347 tokens."""
ROUNDS, STEPS = 8, 10
"""Of 16 crops: rounds of three turns each, and our steps in a turn, 240 in all."""


def measure(model: BenchModel, peers: Collection[str], threads: int) -> dict[str, object]:
    """All figures, by their names in the report."""
    crops = make_crops(MOST_TOKENS)
    engine, memory = Engine(model, threads), MemoryReader(threads)
    _say("one crop at a time")
    single = measure_single(engine, memory, model.weight_bytes, crops[SINGLE_CROPS], SINGLE_TOKENS)
    _say("reading 16 prompts on all sides")
    for crop in crops:
        engine.begin(crop)
    engine.prefill()
    with ExitStack() as stack:
        started = Peers(model, crops, engine.prompt_lengths, threads, stack)
        turns = started.start(peers, ROUNDS, STEPS, MOST_TOKENS)
        _say("16 crops at once")
        each = {name: turns.pop(name) for name in ("genai",) if name in turns}
        others = [{name: turns[name]} if name in turns else {} for name in NEEDS if name not in each]
        batch = measure_batch(engine, [{**each, **other} for other in others], ROUNDS, STEPS)
    return _report(batch, single)


def _report(batch: Batch, single: SingleStream) -> dict[str, object]:
    figures = {f"batch16_over_{_key(peer)}": ratio for peer, ratio in batch.over.items()} | {
        "single_over_bound": single.share_of_bound,
        "python_share_16": batch.python_share,
        "perfect_draft_speedup": single.speed_up[100],
        "zero_draft_cost": 1 - single.speed_up[0],
    }
    speeds = {f"{_key(side)}_tokens_per_second": speed for side, speed in batch.speeds.items()} | {
        "single_tokens_per_second": single.speed,
        "memory_gb_per_second": single.bandwidth / 1e9,
    }
    texts = {f"same_text_draft_{accuracy}": share for accuracy, share in single.same_text.items()}
    return {
        **_rounded(figures),
        "draft_curve": _rounded(
            {str(accuracy): single.speed_up[accuracy] for accuracy in sorted(single.speed_up, reverse=True)}
        ),
        "raw": _rounded(speeds | texts),
    }


def _key(name: str) -> str:
    return name.replace("-", "_")


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}


def _say(what: str) -> None:
    print(what, file=sys.stderr)


def _chosen(text: str) -> list[str]:
    """The peers that are named, and can be started.

    Raises:
        ValueError: one is not known, or lacks a package.
    """
    names = {"all": list(NEEDS), "none": []}.get(text, text.split(","))
    if unknown := {*names} - {*NEEDS}:
        raise ValueError(f"no peer {', '.join(sorted(unknown))}; there are: {', '.join(NEEDS)}")
    for name in names:
        if lacks := missing(*NEEDS[name]):
            able = [other for other in NEEDS if not missing(*NEEDS[other])]
            raise ValueError(
                f"the peer {name} needs {', '.join(lacks)}, not installed; try --peers {','.join(able)}"
            )
    return names


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.vlm", description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--threads", type=int, default=2, help="inference threads, for all sides")
    parser.add_argument("--peers", default="all", help=f"all, none, or some of {','.join(NEEDS)}")
    parser.add_argument(
        "--layers", type=int, default=LAYERS, help="of the decoder; fewer to try the bench out"
    )
    parser.add_argument("--folder", type=Path, default=CACHE, help="where the model is made, once, and kept")
    arguments = parser.parse_args()
    try:
        peers = _chosen(arguments.peers)
    except ValueError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    figures = measure(make_model(arguments.folder, arguments.layers), peers, arguments.threads)
    print(json.dumps(figures, indent=2))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
