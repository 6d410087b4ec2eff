from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vlm_stage.engines.paddleocr_vl.decoding.sampler import (
    SampledRows,
    Sampler,
    SamplingOptions,
    verify_draft,
)
from vlm_stage.engines.paddleocr_vl.drafts.drafter import Drafter

VOCABULARY = 40
GREEDY = SamplingOptions()
OPTIONS = st.builds(
    SamplingOptions,
    temperature=st.sampled_from([0.0, 0.3, 1.0, 2.0]),
    top_p=st.sampled_from([0.2, 0.9, 1.0]),
    repetition_penalty=st.sampled_from([1.0, 1.3]),
    seed=st.integers(0, 2**32 - 1),
)


def _row(history: Sequence[int]) -> NDArray[np.float32]:
    """Logits of a model that depends on the last two tokens."""
    seed = [token + 1 for token in history[-2:]]
    return np.random.default_rng(seed).standard_normal(VOCABULARY).astype(np.float32) * 3


def _rows(count: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((count, VOCABULARY)).astype(np.float32) * 3


def _decode(options: SamplingOptions, length: int, draft: Sequence[int] = ()) -> list[int]:
    """A sequence after a prompt of two tokens, with a draft verified on the way."""
    sampler, drafter, prompt, output = Sampler(VOCABULARY), Drafter(draft), [3, 4], list[int]()
    while len(output) < length:
        proposal = drafter.propose(output, length - len(output) - 1)
        known = [*prompt, *output]
        logits = np.stack([_row([*known, *proposal[:end]]) for end in range(len(proposal) + 1)])
        rows = SampledRows(options, len(output), known, proposal)
        output.extend(verify_draft(proposal, sampler.choose(logits, [rows]).tokens.tolist()))
    return output


def test_greedy_takes_the_largest_of_each_row() -> None:
    logits = _rows(5)
    chosen = Sampler(VOCABULARY).choose(logits, [SampledRows(GREEDY)] * 5)
    assert chosen.tokens.tolist() == logits.argmax(axis=1).tolist()


def test_a_penalty_lets_the_next_best_win() -> None:
    logits = np.array([[1.0, 2.0, 1.9, -5.0]], dtype=np.float32)
    options = SamplingOptions(repetition_penalty=1.2)
    sampler = Sampler(4)
    assert sampler.choose(logits, [SampledRows(options, history=[3, 1])]).tokens.tolist() == [2]
    assert sampler.choose(logits, [SampledRows(options, history=[3])]).tokens.tolist() == [1]


def test_the_tokens_of_a_draft_count_as_seen_in_the_rows_after_them() -> None:
    logits = np.array([[1.0, 2.0, 1.9]] * 3, dtype=np.float32)
    rows = SampledRows(SamplingOptions(repetition_penalty=1.2), draft=[1, 2])
    assert Sampler(3).choose(logits, [rows]).tokens.tolist() == [1, 2, 1]


def test_a_token_of_prompt_and_draft_is_penalised_once() -> None:
    logits = np.array([[1.0, 1.3, 0.1]] * 2, dtype=np.float32)
    rows = SampledRows(SamplingOptions(repetition_penalty=1.2), history=[1], draft=[1])
    assert Sampler(3).choose(logits, [rows]).tokens.tolist() == [1, 1]


def test_a_low_temperature_is_nearly_greedy_and_none_is_greedy() -> None:
    logits = _rows(50)
    for temperature in (0.0, 1e-30, 1e-3):
        rows = [SampledRows(SamplingOptions(temperature), index) for index in range(50)]
        chosen = Sampler(VOCABULARY).choose(logits, rows)
        assert chosen.tokens.tolist() == logits.argmax(axis=1).tolist()


def test_tokens_are_drawn_by_the_softmax_over_the_temperature() -> None:
    logits = np.tile(np.log(np.array([[0.5, 0.3, 0.2]], dtype=np.float32)), (4000, 1))
    rows = [SampledRows(SamplingOptions(temperature=0.5, seed=3), index) for index in range(4000)]
    shares = np.bincount(Sampler(3).choose(logits, rows).tokens, minlength=3) / 4000
    assert shares == pytest.approx(np.array([0.25, 0.09, 0.04]) / 0.38, abs=0.025)


def test_top_p_leaves_out_the_unlikely() -> None:
    logits = np.tile(np.log(np.array([[0.5, 0.3, 0.2]], dtype=np.float32)), (1000, 1))
    rows = [SampledRows(SamplingOptions(1.0, 0.6, seed=3), index) for index in range(1000)]
    shares = np.bincount(Sampler(3).choose(logits, rows).tokens, minlength=3) / 1000
    assert shares == pytest.approx([0.625, 0.375, 0.0], abs=0.05)


@given(options=st.lists(OPTIONS, min_size=1, max_size=6), seed=st.integers(0, 99))
def test_what_is_chosen_does_not_depend_on_the_rest_of_the_batch(
    options: list[SamplingOptions], seed: int
) -> None:
    logits = _rows(len(options), seed)
    rows = [SampledRows(option, index, [1, 2, 3]) for index, option in enumerate(options)]
    together = Sampler(VOCABULARY).choose(logits, rows)
    alone = [Sampler(VOCABULARY).choose(logits[[place]], [row]) for place, row in enumerate(rows)]
    assert together.tokens.tolist() == [chosen.tokens[0] for chosen in alone]
    assert together.probabilities.tolist() == [chosen.probabilities[0] for chosen in alone]


@given(options=OPTIONS, draft=st.lists(st.integers(0, VOCABULARY - 1), max_size=30))
def test_any_draft_leaves_the_output_as_it_is_with_any_options(
    options: SamplingOptions, draft: list[int]
) -> None:
    assert _decode(options, 25, draft) == _decode(options, 25)


@given(options=OPTIONS, wrong=st.sets(st.integers(0, 24), max_size=4))
def test_a_good_draft_leaves_the_output_as_it_is_with_any_options(
    options: SamplingOptions, wrong: set[int]
) -> None:
    said = _decode(options, 25)
    draft = [(token + (place in wrong)) % VOCABULARY for place, token in enumerate(said)]
    assert _decode(options, 25, draft) == said


def test_a_seed_gives_the_same_output_again_and_another_one_gives_another() -> None:
    outputs = [_decode(SamplingOptions(temperature=1.0, seed=seed), 40) for seed in (5, 5, 6)]
    assert outputs[0] == outputs[1] != outputs[2]


def test_logits_are_only_read() -> None:
    logits = _rows(2)
    logits.flags.writeable = False
    Sampler(VOCABULARY).choose(logits, [SampledRows(SamplingOptions(0.7, 0.9, 1.1), 3, [1], [2])])


@pytest.mark.parametrize("offset", [0.0, 1e4, -1e4])
@pytest.mark.parametrize("options", [GREEDY, SamplingOptions(0.7, 0.9, 1.1)])
def test_the_probability_is_the_models_own(offset: float, options: SamplingOptions) -> None:
    logits = _rows(4) + np.float32(offset)
    chosen = Sampler(VOCABULARY).choose(logits, [SampledRows(options)] * 4)
    exact = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    exact /= exact.sum(axis=1, keepdims=True)
    assert chosen.probabilities == pytest.approx(exact[np.arange(4), chosen.tokens], rel=1e-5)
    assert chosen.probabilities.dtype == np.float32


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("options", [GREEDY, SamplingOptions(0.7, 0.9, 1.1)])
def test_a_row_that_is_not_finite_has_no_probability_and_harms_no_other(
    bad: float, options: SamplingOptions
) -> None:
    logits = _rows(3)
    right = Sampler(VOCABULARY).choose(logits, [SampledRows(options)] * 3)
    logits[1, 7] = bad
    chosen = Sampler(VOCABULARY).choose(logits, [SampledRows(options)] * 3)
    assert np.isnan(chosen.probabilities).tolist() == [False, True, False]
    assert chosen.tokens[[0, 2]].tolist() == right.tokens[[0, 2]].tolist()


@given(
    temperature=st.floats(0, 2),
    top_p=st.floats(0, 1, exclude_min=True),
    penalty=st.floats(0, exclude_min=True, allow_infinity=False),
)
def test_a_token_is_chosen_whatever_the_options(temperature: float, top_p: float, penalty: float) -> None:
    rows = SampledRows(SamplingOptions(temperature, top_p, penalty), 5, range(10), [1, 2])
    chosen = Sampler(VOCABULARY).choose(_rows(3) * 10, [rows])
    assert np.isfinite(chosen.probabilities).all()
    assert chosen.tokens.min() >= 0
    assert chosen.tokens.max() < VOCABULARY


def test_tokens_that_the_model_rules_out_are_never_chosen() -> None:
    logits = np.full((200, VOCABULARY), -np.inf, dtype=np.float32)
    logits[:, [4, 9]] = 1.0
    rows = [SampledRows(SamplingOptions(1.0, 0.99, 1.2), index, [4]) for index in range(200)]
    chosen = Sampler(VOCABULARY).choose(logits, rows)
    assert set(chosen.tokens.tolist()) == {4, 9}
    assert chosen.probabilities == pytest.approx(0.5)


def test_no_rows_give_no_tokens() -> None:
    assert Sampler(VOCABULARY).choose(_rows(0), []).tokens.size == 0


@pytest.mark.parametrize(
    ("draft", "chosen", "accepted"),
    [
        ([], [5], [5]),
        ([1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4]),
        ([1, 2, 3], [1, 9, 3, 4], [1, 9]),
        ([1, 2, 3], [9, 2, 3, 4], [9]),
    ],
)
def test_a_draft_is_accepted_up_to_what_is_chosen_otherwise(
    draft: list[int], chosen: list[int], accepted: list[int]
) -> None:
    assert verify_draft(draft, chosen) == accepted


@pytest.mark.parametrize(
    "wrong",
    [{"temperature": -1.0}, {"top_p": 0.0}, {"top_p": 1.1}, {"repetition_penalty": 0.0}, {"seed": -1}],
)
def test_options_that_make_no_sense_are_a_bug(wrong: dict[str, float]) -> None:
    with pytest.raises(AssertionError):
        SamplingOptions(**wrong)  # type: ignore[arg-type]  # the seed is an integer


def test_only_plain_greedy_does_without_logits() -> None:
    assert SamplingOptions(top_p=0.5, seed=3).takes_largest
    assert not SamplingOptions(temperature=0.5).takes_largest
    assert not SamplingOptions(repetition_penalty=1.1).takes_largest
