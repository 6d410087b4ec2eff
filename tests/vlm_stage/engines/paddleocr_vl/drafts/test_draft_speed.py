"""How much faster drafts make decoding, by the costs that were measured for steps."""

from collections.abc import Sequence

import pytest

from tests.vlm_stage.engines.paddleocr_vl.drafted_decoding import END, corrupted, random_output, speed_up
from tests.vlm_stage.engines.paddleocr_vl.even_costs import even_costs

SEEDS = range(20)


def _speed_ups(accuracy: float, kinds: str, vocabulary: int = 103_424) -> list[float]:
    outputs = [random_output(seed, vocabulary) for seed in SEEDS]
    drafts = [corrupted(output, accuracy, kinds, seed) for seed, output in zip(SEEDS, outputs, strict=True)]
    return [speed_up(output, draft) for output, draft in zip(outputs, drafts, strict=True)]


def _mean(speed_ups: Sequence[float]) -> float:
    return len(speed_ups) / sum(1 / value for value in speed_ups)


@pytest.mark.parametrize(
    ("accuracy", "kinds", "at_least", "each"),
    [
        (1.0, "s", 2.8, 2.7),
        (0.99, "s", 2.45, 2.1),
        (0.95, "s", 2.05, 1.8),
        (0.9, "s", 1.9, 1.7),
        (0.5, "s", 1.2, 1.15),
        (0.99, "sid", 2.4, 2.0),
        (0.95, "sid", 1.95, 1.7),
        (0.9, "sid", 1.75, 1.5),
        (0.5, "sid", 1.1, 1.05),
        (0.0, "s", 0.98, 0.97),
        (0.0, "d", 0.99, 0.99),
    ],
)
def test_a_draft_of_such_accuracy_makes_decoding_so_much_faster(
    accuracy: float, kinds: str, at_least: float, each: float
) -> None:
    speed_ups = _speed_ups(accuracy, kinds)
    assert _mean(speed_ups) >= at_least
    assert min(speed_ups) >= each


@pytest.mark.parametrize("vocabulary", [5, 10, 20, 50])
def test_a_wrong_draft_of_the_same_few_tokens_costs_little(vocabulary: int) -> None:
    speed_ups = [
        speed_up(random_output(seed, vocabulary), random_output(seed + 1000, vocabulary)) for seed in SEEDS
    ]
    assert _mean(speed_ups) >= 0.96
    assert min(speed_ups) >= 0.93


@pytest.mark.parametrize("right", range(1, 9))
def test_a_draft_that_misleads_at_regular_distances_costs_nothing(right: int) -> None:
    output = random_output(3)
    draft = [-place if place % (right + 2) >= right else token for place, token in enumerate(output)]
    assert speed_up(output, draft) >= 1


def test_half_a_draft_helps_for_half_of_the_output() -> None:
    output, other = random_output(5)[:200], random_output(6)[:200]
    assert speed_up(output, output[:100] + other[100:]) >= 1.35
    assert speed_up(output, other[:100] + output[100:]) >= 1.35
    assert speed_up(output, [*output[100:], END]) >= 1.3


def test_a_draft_in_another_order_helps() -> None:
    output = random_output(7)[:200]
    blocks = [output[start : start + 20] for start in range(0, 200, 20)]
    assert speed_up(output, [token for block in blocks[::-1] for token in block]) >= 1.5


def test_a_device_with_arithmetic_to_spare_gains_more() -> None:
    output = random_output(8)
    assert speed_up(output, corrupted(output, 0.95, "sid", 8), even_costs(0.02)) >= 5


def test_a_long_good_part_is_forgotten_when_the_draft_gets_worse() -> None:
    good, worse = [
        [token for seed in seeds for token in random_output(seed)[:-1]] for seeds in (range(5), (5, 6))
    ]
    draft = good + corrupted(worse, 0.5, "sid", 9)
    cost_of_good = len(good) / speed_up(good, good)
    cost = (len(good) + len(worse)) / speed_up(good + worse, draft)
    assert len(worse) / (cost - cost_of_good) >= 1.08
