"""How far numbers are from those that they should be."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Difference:
    """Of rows of numbers from a reference's.

    `worst` is that of the worst row: the root of the mean squared difference, over the `spread`, which is the
    standard deviation of all of the reference's numbers. So it says of any numbers, vision's or logits, how
    much of what they tell is noise; two unrelated rows have 1.4. NaN where a number is none. `largest` and
    `mean` are of absolute differences.
    """

    worst: float
    largest: float
    mean: float
    spread: float


def difference(found: Rows, expected: Rows) -> Difference:
    """Of rows, shape (rows, numbers), from those expected."""
    assert found.shape == expected.shape, f"{found.shape} is compared with {expected.shape}"
    with np.errstate(invalid="ignore", over="ignore"):  # infinite numbers are a finding
        apart = np.abs(found - expected)
        spread = float(expected.std(dtype=np.float64))
        of_rows = np.sqrt(np.mean(np.square(apart), axis=1, dtype=np.float64)) / spread
    worst = float(of_rows.max()) if np.isfinite(apart).all() else float("nan")
    return Difference(worst, float(apart.max()), float(apart.mean(dtype=np.float64)), spread)


def worst_of(differences: Iterable[Difference]) -> Difference:
    """The worst of several, at least one; NaN is worst."""
    return max(differences, key=lambda one: math.inf if math.isnan(one.worst) else one.worst)


@dataclass(frozen=True, slots=True)
class Agreement:
    """In how many `steps` of greedy decoding the likeliest token is the `same` as the reference's.

    Of those, `clear` ones are where the reference's first token leads the second by more than `lead` times
    the spread of its logits: noise within the limit does not turn those. `median_lead` is in the same unit.
    """

    steps: int
    same: int
    clear: int
    clear_same: int
    lead: float
    median_lead: float


def agreement(found: Iterable[Rows], expected: Iterable[Rows], lead: float) -> Agreement:
    """Of logits, shape (steps, vocabulary) for each text, at least one, with those expected."""
    pairs = list(zip(found, expected, strict=True))
    same = np.concatenate([own.argmax(axis=1) == true.argmax(axis=1) for own, true in pairs])
    leads = np.concatenate([_leads(true) for _, true in pairs])
    clear = leads > lead
    return Agreement(
        steps=len(same),
        same=int(same.sum()),
        clear=int(clear.sum()),
        clear_same=int((same & clear).sum()),
        lead=lead,
        median_lead=float(np.median(leads)),
    )


def _leads(logits: Rows) -> NDArray[np.float64]:
    """By how many spreads the first choice of each row leads the second, shape (steps,)."""
    second, first = np.partition(logits, -2, axis=1)[:, -2:].T
    leads: NDArray[np.float64] = (first - second) / logits.std(dtype=np.float64)
    return leads
