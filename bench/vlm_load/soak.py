"""Keeping a stage busy for long, and seeing what it holds in memory whenever it has nothing to do."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import psutil

from arcscribe.tools.stage_process import StageProcess
from bench.vlm_load.held_memory import Held, held_by
from bench.vlm_load.pages import FAULTS, Page, any_pages, send_pages
from bench.vlm_load.sorts import largest_crops
from bench.vlm_load.source import Source

STREAMS = 4
SETTLE_SECONDS = 2.0
"""Until the engine sees that it has nothing to do, and has given back what it does not use."""


@dataclass(frozen=True, slots=True)
class Soak:
    """What was seen: `held` after the warm-up, and then again and again; `counts` of all crops, those of the
    warm-up too; the `seconds` in which the rest were sent and answered."""

    held: tuple[Held, ...]
    counts: Counter[str]
    seconds: float

    @property
    def faults(self) -> int:
        """How many crops were not answered as they should be."""
        return sum(self.counts[fault] for fault in FAULTS)


def soak(stage: StageProcess, source: Source, *, warm_up: int, crops: int, every: int) -> Soak:
    """Sends a stage the largest crops that there are, some of all sorts to warm it up, and those that count.

    What it holds is looked at once warm, and each time that it has answered `every` more.
    """
    process = psutil.Process(stage.pid)
    counts: Counter[str] = Counter()

    def send(pages: Iterator[Page]) -> float:
        started = time.perf_counter()
        counts.update(asyncio.run(send_pages(stage.command.address, source, pages, STREAMS)))
        seconds = time.perf_counter() - started
        time.sleep(SETTLE_SECONDS)
        return seconds

    send(iter([Page(largest_crops(source))]))
    send(any_pages(source, warm_up))
    held, seconds = [held_by(process, 0)], 0.0
    for sent in range(every, crops + 1, every):
        seconds += send(any_pages(source, every))
        held.append(held_by(process, sent))
        print(f"{sent} crops: {held[-1].rss:.0f} MB", file=sys.stderr)
    return Soak(tuple(held), counts, seconds)
