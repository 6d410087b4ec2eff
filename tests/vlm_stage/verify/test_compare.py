import math

import numpy as np
import pytest

from vlm_stage.verify.compare import agreement, difference, worst_of

RNG = np.random.default_rng(0)
TRUE = RNG.standard_normal((20, 1000)).astype(np.float32) * 3


def test_noise_is_measured_as_a_share_of_the_spread() -> None:
    noisy = TRUE + RNG.standard_normal(TRUE.shape).astype(np.float32) * 0.3
    found = difference(noisy, TRUE)
    assert found.worst == pytest.approx(0.1, rel=0.1)
    assert found.spread == pytest.approx(3, rel=0.05)
    assert found.mean == pytest.approx(0.3 * math.sqrt(2 / math.pi), rel=0.05)
    assert found.largest > 1


def test_unrelated_rows_differ_by_the_root_of_two() -> None:
    other = RNG.standard_normal(TRUE.shape).astype(np.float32) * 3
    assert difference(other, TRUE).worst == pytest.approx(math.sqrt(2), rel=0.1)


def test_one_wrong_row_counts_as_it_is() -> None:
    wrong = TRUE.copy()
    wrong[7] = -wrong[7]
    assert difference(wrong, TRUE).worst == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize("odd", [np.nan, np.inf])
def test_what_is_no_number_is_worst(odd: float) -> None:
    broken = TRUE.copy()
    broken[3, 4] = odd
    found = difference(broken, TRUE)
    assert math.isnan(found.worst)
    slight = difference(TRUE + 1, TRUE)
    assert math.isnan(worst_of([slight, found, slight]).worst)
    assert worst_of([difference(TRUE, TRUE), slight]) == slight


def test_agreement_counts_steps_and_tells_clear_ones_apart() -> None:
    true = np.array([[0, 1, 9], [0, 5, 5.1], [8, 0, 1]], np.float32)
    found = np.array([[0, 1, 9], [0, 5.1, 5], [0, 8, 1]], np.float32)
    counted = agreement([found[:2], found[2:]], [true[:2], true[2:]], lead=0.5)
    assert (counted.steps, counted.same, counted.clear, counted.clear_same) == (3, 1, 2, 1)
    assert counted.median_lead == pytest.approx(7 / true[2:].std())
