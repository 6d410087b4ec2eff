"""What drafts are worth, one crop at a time, from perfect to wrong in every token."""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median

from arcscribe.types import Crop
from bench.vlm_peers.bandwidth import MemoryReader
from bench.vlm_peers.engine import Engine, Stretch

ACCURACIES = (0, 100, 99, 95, 90, 50)
"""Per cent of a draft's tokens that are right."""


@dataclass(frozen=True, slots=True)
class SingleStream:
    """Medians over rounds, each with another crop; speeds in tokens a second, bandwidth in bytes.

    `speed_up`, by accuracy, is over the same crop without a draft, written before all drafts and once more
    behind them; `share_of_bound` the speed without one over what the memory's bandwidth, measured before and
    behind too, allows.
    """

    speed: float
    bandwidth: float
    share_of_bound: float
    speed_up: dict[int, float]
    same_text: dict[int, float]
    """By accuracy, the share of rounds in which the text was that without a draft."""


def measure_single(
    engine: Engine, memory: MemoryReader, weight_bytes: int, crops: Sequence[Crop], tokens: int
) -> SingleStream:
    """Writes so many tokens of each crop without a draft, then with drafts of every accuracy."""
    speeds, bandwidths, bounds = [], [], []
    ratios, same = defaultdict(list), defaultdict(list)
    for crop in crops:
        bandwidths.append(memory.bandwidth())
        first, text = _write(engine, crop, tokens)
        drafted = {
            accuracy: _write(engine, crop, tokens, spoilt(text, accuracy, crop.id)) for accuracy in ACCURACIES
        }
        last, _ = _write(engine, crop, tokens)
        speeds.append(mean((first.speed, last.speed)))
        bounds.append(speeds[-1] * weight_bytes / mean((bandwidths[-1], memory.bandwidth())))
        for accuracy, (stretch, written) in drafted.items():
            ratios[accuracy].append(stretch.speed / speeds[-1])
            same[accuracy].append(written[:tokens] == text[:tokens])
    return SingleStream(
        median(speeds),
        median(bandwidths),
        median(bounds),
        {accuracy: median(values) for accuracy, values in ratios.items()},
        {accuracy: sum(values) / len(values) for accuracy, values in same.items()},
    )


def spoilt(text: Sequence[int], accuracy: int, seed: int) -> tuple[int, ...]:
    """A text with so many per cent of its tokens left right, the others each replaced by a wrong one."""
    generator = random.Random(seed)
    wrong = set(generator.sample(range(len(text)), round(len(text) * (100 - accuracy) / 100)))
    return tuple(_other(token, generator) if place in wrong else token for place, token in enumerate(text))


def _other(token: int, generator: random.Random) -> int:
    """Another of the first 100,000 tokens."""
    return (token + generator.randrange(1, 100_000)) % 100_000


def _write(
    engine: Engine, crop: Crop, tokens: int, draft: tuple[int, ...] = ()
) -> tuple[Stretch, Sequence[int]]:
    """The stretch from the token after the prompt until there are at least so many, and the text."""
    engine.begin(crop, draft)
    engine.prefill()
    stretch = engine.decode_until(tokens)
    text = tuple(engine.outputs[0])
    engine.forget()
    return stretch, text
