import pytest

from tests.vlm_stage.engines.paddleocr_vl.even_costs import even_costs
from vlm_stage.engines.paddleocr_vl.drafts.costs import DraftCosts, best_length, verification_costs


@pytest.mark.parametrize(
    ("tokens", "cost"), [(1, 1.0), (2, 1.17), (3, 1.435), (8, 3.1), (32, 10.8), (64, 21.2)]
)
def test_costs_lie_on_lines_through_what_was_measured(tokens: int, cost: float) -> None:
    assert DraftCosts().of(tokens) == pytest.approx(cost)


def test_even_costs_grow_by_the_same_amount_with_each_token() -> None:
    costs = even_costs(0.02)
    assert [costs.of(tokens) for tokens in (1, 2, 11, 101)] == pytest.approx([1.0, 1.02, 1.2, 3.0])


def test_alone_in_a_step_a_sequence_pays_what_the_step_costs() -> None:
    assert verification_costs(DraftCosts(), 0, 3) == pytest.approx((1.0, 1.17, 1.435, 1.7))


def test_many_sequences_in_a_step_make_drafted_tokens_dear() -> None:
    alone, of_four, of_sixteen = (
        verification_costs(even_costs(0.3), beside, 10)[10] for beside in (0, 3, 15)
    )
    assert alone == pytest.approx(1 + 10 * 0.3)
    assert of_four == pytest.approx(1 + 10 * 0.3 / (1.9 / 4))
    assert of_sixteen == pytest.approx(1 + 10 * 0.3 / (5.5 / 16))


def test_a_certain_draft_is_verified_as_far_as_it_goes() -> None:
    assert best_length([1.0] * 16, verification_costs(DraftCosts(), 0, 16)) == 16


def test_a_hopeless_draft_is_not_verified() -> None:
    assert best_length([0.15, 0.1, 0.1], verification_costs(DraftCosts(), 0, 3)) == 0


def test_likelihoods_are_read_only_as_far_as_they_matter() -> None:
    likelihoods = iter([0.9, 0.5, 0.1, 0.09, 0.08])
    assert best_length(likelihoods, verification_costs(DraftCosts(), 0, 5)) == 2
    assert next(likelihoods) == 0.09


@pytest.mark.parametrize("accuracy", [0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999])
@pytest.mark.parametrize("costs", [DraftCosts(), even_costs(0.3), even_costs(0.02)])
def test_the_length_gives_at_least_99_percent_of_the_best_rate(accuracy: float, costs: DraftCosts) -> None:
    steps = verification_costs(costs, 0, 32)
    likelihoods = [accuracy ** (length + 1) for length in range(32)]
    rates = [(1 + sum(likelihoods[:length])) / steps[length] for length in range(33)]
    assert rates[best_length(likelihoods, steps)] >= 0.99 * max(rates)
