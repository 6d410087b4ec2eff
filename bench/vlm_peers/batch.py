"""Sixteen crops at once: the engine in turn with its peers."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bench.vlm_peers.engine import Engine, Stretch

Turn = Callable[[int], tuple[int, float]]
"""Given the number of the round, runs a peer for a while: tokens, and the seconds that they took."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Medians over turns; speeds in tokens a second, by the side's name, ours being `engine`.

    `over` is, by peer, our speed over the peer's in the turn behind ours; `python_share` what of all our
    steps was not inference of the decoder.
    """

    speeds: dict[str, float]
    over: dict[str, float]
    python_share: float


def measure_batch(engine: Engine, turns: Sequence[Mapping[str, Turn]], rounds: int, steps: int) -> Batch:
    """Each round has, for each of `turns`, a turn of ours and one of each of its peers.

    Args:
        engine: with the crops begun and their prompts read.
        turns: the peers by name; one that is to make as many steps as ours is in all of them.
        rounds: how often.
        steps: of a turn of ours.
    """
    ours: list[Stretch] = []
    speeds, over = defaultdict(list), defaultdict(list)
    for number in range(rounds):
        for peers in turns:
            ours.append(engine.decode(steps))
            speeds["engine"].append(ours[-1].speed)
            for peer, run in peers.items():
                tokens, seconds = run(number)
                speeds[peer].append(tokens / seconds)
                over[peer].append(ours[-1].speed * seconds / tokens)
    inference = sum(stretch.inference_seconds for stretch in ours)
    return Batch(
        {side: median(values) for side, values in speeds.items()},
        {peer: median(values) for peer, values in over.items()},
        1 - inference / sum(stretch.seconds for stretch in ours),
    )
