import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.decoding.logits_filters import (
    draw,
    nucleus,
    penalise_repetition,
    uniform_of,
)

LAST_BELOW_ONE = float(np.nextafter(1.0, 0.0))


def _weights(seed: int, size: int, spread: float) -> NDArray[np.float32]:
    """Likelihoods from nearly equal (spread 0.1) to nearly all with one token (spread 30)."""
    scores = np.random.default_rng(seed).standard_normal(size).astype(np.float32) * np.float32(spread)
    weights: NDArray[np.float32] = np.exp(scores - scores.max())
    return weights


def _sorted_nucleus(weights: NDArray[np.float32], top_p: float) -> NDArray[np.int64]:
    """By the definition: the likeliest, as long as those before have not reached the share."""
    order = np.argsort(-weights, kind="stable")
    before = weights[order].cumsum(dtype=np.float64) - weights[order]
    return np.sort(order[before < top_p * weights.sum(dtype=np.float64)])


def test_positive_scores_are_divided_and_negative_ones_multiplied() -> None:
    scores = np.array([2, -2, 2, -2], dtype=np.float32)
    penalise_repetition(scores, [0, 1], 2.0)
    assert scores.tolist() == [1, -4, 2, -2]


def test_a_token_seen_many_times_is_penalised_once() -> None:
    scores = np.array([3, 3], dtype=np.float32)
    penalise_repetition(scores, [1, 1, 1], 1.5)
    assert scores.tolist() == [3, 2]


@pytest.mark.parametrize("penalty", [5e-324, 1.4e-45, 1e-38, 1e38, 1e300])
def test_no_penalty_is_so_large_that_a_score_is_infinite(penalty: float) -> None:
    scores = np.array([9, 1, -9, 3, 0], dtype=np.float32)
    penalise_repetition(scores, [0, 2, 4], penalty)
    assert np.isfinite(scores).all()
    assert scores.argmax() == (0 if penalty < 1 else 3)


def test_without_history_nothing_is_penalised() -> None:
    scores = np.array([3, -3], dtype=np.float32)
    penalise_repetition(scores, [], 1.5)
    assert scores.tolist() == [3, -3]


@given(
    seed=st.integers(0, 10_000),
    size=st.integers(1, 3000),
    spread=st.sampled_from([0.1, 1.0, 5.0, 30.0]),
    top_p=st.floats(0.001, 0.999),
)
def test_the_nucleus_is_what_sorting_would_find(seed: int, size: int, spread: float, top_p: float) -> None:
    weights = _weights(seed, size, spread)
    assert nucleus(weights, top_p).tolist() == _sorted_nucleus(weights, top_p).tolist()


@pytest.mark.parametrize("spread", [0.1, 1.0, 5.0])
def test_the_nucleus_of_a_whole_vocabulary_is_what_sorting_would_find(spread: float) -> None:
    weights = _weights(1, 103_424, spread)
    assert nucleus(weights, 0.9).tolist() == _sorted_nucleus(weights, 0.9).tolist()


def test_the_likeliest_token_is_kept_however_little_is_asked_for() -> None:
    assert nucleus(np.array([0.1, 0.7, 0.2], dtype=np.float32), 1e-9).tolist() == [1]


def test_tokens_that_weigh_the_same_are_kept_or_left_out_together() -> None:
    assert nucleus(np.array([0.2, 0.3, 0.3, 0.2], dtype=np.float32), 0.4).tolist() == [1, 2]
    assert nucleus(np.ones(4, dtype=np.float32), 0.1).tolist() == [0, 1, 2, 3]


@given(size=st.integers(1, 1500), seed=st.integers(0, 1000), uniform=st.floats(0, LAST_BELOW_ONE))
def test_the_draw_is_where_the_running_sum_passes(size: int, seed: int, uniform: float) -> None:
    weights = _weights(seed, size, 3.0)
    drawn = draw(weights, uniform)
    sums = weights.cumsum(dtype=np.float64)
    tolerance = 1e-12 * sums[-1]
    assert sums[drawn] > uniform * sums[-1] - tolerance
    assert drawn == 0 or sums[drawn - 1] <= uniform * sums[-1] + tolerance


@pytest.mark.parametrize("uniform", [0.0, 0.3, 0.5, LAST_BELOW_ONE])
@pytest.mark.parametrize("size", [3, 300, 2000])
def test_what_weighs_nothing_is_never_drawn(uniform: float, size: int) -> None:
    weights = np.zeros(size, dtype=np.float32)
    weights[[1, size // 2]] = 1.0
    assert draw(weights, uniform) in (1, size // 2)


@pytest.mark.parametrize("seed", range(50))
def test_the_largest_number_below_one_draws_a_token_however_sums_are_rounded(seed: int) -> None:
    weights = _weights(seed, 256, 6.0)
    assert weights[draw(weights, LAST_BELOW_ONE)] > 0


def test_tokens_are_drawn_as_often_as_they_are_likely() -> None:
    weights = np.array([5, 0, 1, 3, 1], dtype=np.float32)
    draws = [draw(weights, uniform_of(11, index)) for index in range(4000)]
    shares = np.bincount(draws, minlength=5) / 4000
    assert shares == pytest.approx([0.5, 0.0, 0.1, 0.3, 0.1], abs=0.025)


def test_what_is_drawn_is_the_same_in_every_release() -> None:
    assert [uniform_of(seed, index) for seed, index in ((0, 0), (0, 1), (7, 0))] == [
        0.011546754286331562,
        0.5023796042735054,
        0.8720734548204873,
    ]


def test_numbers_of_one_seed_and_of_one_index_are_spread_evenly() -> None:
    for numbers in (
        [uniform_of(5, index) for index in range(2000)],
        [uniform_of(seed, 5) for seed in range(2000)],
    ):
        counts = np.histogram(numbers, bins=10, range=(0, 1))[0]
        assert counts.min() > 150
        assert counts.max() < 250
        assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.07
