"""`python -m bench.vlm_soak [--json FILE]`: whether the VLM stage's memory stays flat under mixed load.

A toy of PaddleOCR-VL with random weights, stored in INT8, runs in a stage process. Crops of all sorts
(`bench.vlm_load.sorts`) come on four streams at once; some callers leave in the middle. An hour's worth is
4,500 crops: of a service that reads 5 pages a minute, of 15 regions each. Memory is looked at whenever all
that was sent is answered, but not before the stage is warm: until then buffers grow to the largest crops, and
OpenVINO's caches of kernels fill.

- rss_mb_per_1000_crops: the slope of the straight line that fits resident memory best.
- rss_range_mb: the most that it held, less the least.
- warm_rss_mb, last_rss_mb, peak_rss_mb: at the first look and at the last, and the most that it ever held.
- faults: crops that were never answered, or twice, or not with what they should be. There must be none.
- outcomes: how crops ended, those of the warm-up too, and how many partial texts there were.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from bench.vlm_load.held_memory import growth, peak_rss
from bench.vlm_load.soak import Soak, soak
from bench.vlm_load.source import Source
from bench.vlm_load.stage import convert_toy, running_stage

HOURLY_CROPS = 5 * 15 * 60
WARM_UP = 12_000
"""Crops, after which OpenVINO's caches of kernels hold what they may: behind 4,000, memory still grew by 1.6
MB with each 1,000 for another 10,000, and then no more (measured on CPU)."""


def measure(warm_up: int, crops: int, every: int, seed: int) -> dict[str, object]:
    """All figures, by their names in the report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with running_stage(convert_toy(folder), folder) as stage:
            seen = soak(stage, Source(seed), warm_up=warm_up, crops=crops, every=every)
            return _report(seen, warm_up, peak_rss(stage.pid))


def _report(seen: Soak, warm_up: int, peak: float) -> dict[str, object]:
    crops = [held.crops for held in seen.held]
    rss = [held.rss for held in seen.held]
    figures = {
        "rss_mb_per_1000_crops": growth(crops, rss),
        "rss_range_mb": max(rss) - min(rss),
        "warm_rss_mb": rss[0],
        "last_rss_mb": rss[-1],
        "peak_rss_mb": peak,
        "crops": crops[-1],
        "warm_up_crops": warm_up,
        "hours_worth": crops[-1] / HOURLY_CROPS,
        "crops_per_second": crops[-1] / seen.seconds,
        "faults": seen.faults,
    }
    return {
        **{name: round(value, 2) for name, value in figures.items()},
        "outcomes": dict(seen.counts.most_common()),
        "raw": [[held.crops, round(held.rss, 1)] for held in seen.held],
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.vlm_soak", description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--crops", type=int, default=20_000, help="how many count")
    parser.add_argument("--warm-up", type=int, default=WARM_UP, help="how many are sent before")
    parser.add_argument("--every", type=int, default=500, help="between two looks at the memory")
    parser.add_argument("--seed", type=int, default=0, help="of the crops")
    arguments = parser.parse_args()
    if arguments.crops < 2 * arguments.every:
        parser.error("--crops must be twice --every at least: a slope takes three looks")
    figures = measure(arguments.warm_up, arguments.crops, arguments.every, arguments.seed)
    print(json.dumps(figures, indent=2))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 1 if figures["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
