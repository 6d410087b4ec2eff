"""What a step of several tokens costs more than a step of one, and how many drafted tokens are worth it."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

_CPU_POINTS = ((1, 1.0), (2, 1.17), (4, 1.7), (8, 3.1), (16, 5.6), (32, 10.8))
"""Measured with INT8 weights and one sequence: OpenVINO 2026.4, two cores with AVX2."""


@dataclass(frozen=True, slots=True)
class DraftCosts:
    """What a step costs by its number of tokens, in steps of one token.

    `points` holds at least two (tokens, cost), the first of them (1, 1.0), rising in tokens. Between them and
    beyond the last, costs lie on straight lines.
    """

    points: tuple[tuple[int, float], ...] = _CPU_POINTS

    def of(self, tokens: int) -> float:
        """The cost of a step of so many tokens, at least 1."""
        lines = pairwise(self.points)
        before, after = next((line for line in lines if tokens <= line[1][0]), self.points[-2:])
        slope = (after[1] - before[1]) / (after[0] - before[0])
        return before[1] + slope * (tokens - before[0])


@lru_cache(maxsize=1024)
def verification_costs(costs: DraftCosts, beside: int, longest: int) -> tuple[float, ...]:
    """What a step costs a sequence that has 0, 1, ... `longest` drafted tokens verified in it.

    The unit is the sequence's share of the step without a draft. Many sequences in a step make it one that is
    limited by arithmetic, where a drafted token costs as much as any other, and only near-certain ones are
    worth it.

    Args:
        costs: of whole steps.
        beside: tokens of other sequences that are decoded in the same step.
        longest: the most drafted tokens.
    """
    undrafted = costs.of(beside + 1)
    share = undrafted / (beside + 1)
    return tuple(1.0 + (costs.of(beside + 1 + drafted) - undrafted) / share for drafted in range(longest + 1))


def best_length(likelihoods: Iterable[float], costs: tuple[float, ...]) -> int:
    """How many drafted tokens give the most tokens for their cost; 0 if one token at a time does.

    Args:
        likelihoods: that the first 1, 2, 3, ... drafted tokens are all accepted; read only as far as more of
            them could still be worth it.
        costs: of a step with 0, 1, 2, ... drafted tokens; the first is 1.0.
    """
    best, best_rate, tokens = 0, 1.0, 1.0
    for length, likelihood in enumerate(likelihoods, start=1):
        if likelihood < best_rate * (costs[length] - costs[length - 1]):
            break
        tokens += likelihood
        rate = tokens / costs[length]
        if rate > best_rate:
            best, best_rate = length, rate
    return best
