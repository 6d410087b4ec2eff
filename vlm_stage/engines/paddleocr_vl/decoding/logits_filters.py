"""What stands between a row of logits and a drawn token: penalties, the nucleus, the draw."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

_BITS_LEFT_OUT = 20
"""Of a float32's 32: sign, exponent and 3 bits of the mantissa are left."""
_HUGE = 1e30
"""Beyond all that a model says; the difference of two, over the least temperature, still is a float32."""
_BLOCK = 256
"""Weights that are summed up before the draw looks among them: a running sum of all takes 20 times as
long."""


def penalise_repetition(scores: NDArray[np.float32], seen: ArrayLike, penalty: float) -> None:
    """Makes tokens that were seen less likely, in place, each once however often it was seen.

    Positive scores are divided by the penalty and negative ones multiplied (Keskar et al., "CTRL", 2019, in
    the form of transformers 5.24's RepetitionPenaltyLogitsProcessor). Unlike there, none becomes infinite,
    since nothing could be drawn then; nor does a penalty that is next to 0, or to infinity, as a float32.

    Args:
        scores: shape (vocabulary,).
        seen: token ids, in any order.
        penalty: over 0; 1 changes nothing.
    """
    ids = np.asarray(seen, dtype=np.int64)
    found = scores[ids]
    penalty = min(max(penalty, 1 / _HUGE), _HUGE)
    with np.errstate(over="ignore"):
        penalised = np.where(found < 0, found * penalty, found / penalty)
    scores[ids] = penalised.clip(-_HUGE, _HUGE)


def nucleus(weights: NDArray[np.float32], top_p: float) -> NDArray[np.int64]:
    """The fewest likeliest tokens that hold `top_p` of the weight, at least one, rising.

    Holtzman et al., "The Curious Case of Neural Text Degeneration", ICLR 2020. Tokens that weigh exactly the
    same as the last one kept are kept too.

    Args:
        weights: shape (vocabulary,): likelihoods, which need not sum to 1.
        top_p: over 0 and below 1.
    """
    total = float(weights.sum(dtype=np.float64))
    # All that weigh less than this, were it the whole vocabulary, would still weigh less than what may be
    # left out.
    candidates = np.flatnonzero(weights >= (1 - top_p) * total / weights.size)
    held = weights[candidates]
    kept: NDArray[np.int64] = candidates[held >= _least_kept(held, top_p * total)]
    return kept


def _least_kept(weights: NDArray[np.float32], mass: float) -> np.float32:
    """The smallest of the fewest largest weights that sum to `mass`.

    Only those within a factor of 1.125 of it are sorted: the leading bits of a float that is not negative are
    in the order of its value, so that counting the weight by them finds the neighbourhood first.
    """
    leading = weights.view(np.uint32) >> _BITS_LEFT_OUT
    from_here_on = np.bincount(leading, weights)[::-1].cumsum()[::-1]
    cut = int(np.flatnonzero(from_here_on >= min(mass, from_here_on[0]))[-1])
    near = np.sort(weights[leading == cut])[::-1]
    missing = mass - (from_here_on[cut + 1] if cut + 1 < from_here_on.size else 0.0)
    kept = int(np.searchsorted(near.cumsum(dtype=np.float64), missing))
    return np.float32(near[min(kept, near.size - 1)])


def draw(weights: NDArray[np.float32], uniform: float) -> int:
    """The index at which the summed weights pass the `uniform` part of their total.

    Args:
        weights: shape (n,), n > 0, not all 0; what weighs nothing is never drawn. They should be in the order
            of their tokens' ids: sorted by weight, two that are nearly equal would change places with the
            last bit of a logit, which the batch's make-up can change, and with them what is drawn.
        uniform: from 0 to below 1.
    """
    blocks = np.add.reduceat(weights, np.arange(0, weights.size, _BLOCK), dtype=np.float64).cumsum()
    target = uniform * blocks[-1]
    block = _passing(blocks, target)
    within = weights[block * _BLOCK : (block + 1) * _BLOCK].cumsum(dtype=np.float64)
    return block * _BLOCK + _passing(within, target - (blocks[block - 1] if block else 0.0))


def _passing(sums: NDArray[np.float64], target: float) -> int:
    """The first index whose sum is over the target; if rounding left none, the last that adds anything."""
    return int(np.searchsorted(sums, min(target, np.nextafter(sums[-1], 0)), side="right"))


def uniform_of(seed: int, index: int) -> float:
    """A number from 0 to below 1 that depends on nothing else.

    By a counter-based generator: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011.

    Args:
        seed: at least 0.
        index: which number of the seed's, at least 0.
    """
    word = np.random.Philox(key=seed, counter=index).random_raw()
    return float(int(word) >> 11) * 2.0**-53
