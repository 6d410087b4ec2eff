"""What the benchmark of the engine makes of what it measures."""

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from bench.vlm_peers.batch import measure_batch
from bench.vlm_peers.drafts import ACCURACIES, spoilt
from bench.vlm_peers.engine import Stretch


@pytest.mark.parametrize("accuracy", ACCURACIES)
def test_a_draft_is_wrong_in_as_many_tokens_as_it_is_to_be(accuracy: int) -> None:
    text = [number * 7 % 103_424 for number in range(200)]
    draft = spoilt(text, accuracy, seed=3)
    right = sum(one == other for one, other in zip(draft, text, strict=True))
    assert right == 2 * accuracy
    assert draft == spoilt(text, accuracy, seed=3)


@dataclass
class FakeEngine:
    """Writes 16 tokens a step, each in a tenth of a second, of which a hundredth is no inference."""

    steps: list[int] = field(default_factory=list)

    def decode(self, steps: int) -> Stretch:
        self.steps.append(steps)
        return Stretch(steps, 16 * steps, 0.1 * steps, 0.099 * steps)


def test_ratios_are_of_turns_one_behind_the_other_and_all_steps_count() -> None:
    engine = FakeEngine()
    asked: list[int] = []

    def slow(number: int) -> tuple[int, float]:
        asked.append(number)
        return 8, 1.0 + number

    turns = [{"even": lambda _: (32, 0.2), "slow": slow}, {"even": lambda _: (32, 0.4)}, {}]
    batch = measure_batch(cast(Any, engine), turns, rounds=3, steps=5)
    assert engine.steps == [5] * 9
    assert asked == [0, 1, 2]
    assert batch.over == pytest.approx({"even": 1.5, "slow": 40.0})
    assert batch.speeds == pytest.approx({"engine": 160.0, "even": 120.0, "slow": 4.0})
    assert batch.python_share == pytest.approx(0.01)
