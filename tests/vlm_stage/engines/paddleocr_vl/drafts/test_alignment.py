from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_stage.engines.paddleocr_vl.drafts.alignment import Alignment, Footing

DRAFT = tuple(range(100, 200))
SMALL = st.lists(st.integers(0, 5), max_size=60)


def following(output: Sequence[int], draft: Sequence[int] = DRAFT) -> Alignment:
    alignment = Alignment(draft)
    for token in output:
        alignment.follow(token)
    return alignment


def test_the_first_token_is_expected_first() -> None:
    assert following([]).expects(100)


def test_an_output_that_runs_along_is_aligned() -> None:
    alignment = following(DRAFT[:5])
    assert (alignment.place, alignment.footing) == (5, Footing.ALIGNED)


def test_a_wrong_token_is_passed_over() -> None:
    alignment = following([*DRAFT[:5], 7])
    assert (alignment.place, alignment.footing) == (6, Footing.GUESSED)


def test_two_wrong_tokens_are_passed_over_with_less_hope() -> None:
    alignment = following([*DRAFT[:5], 7, 8])
    assert (alignment.place, alignment.footing) == (7, Footing.LOST)


@pytest.mark.parametrize("surplus", [1, 2, 4])
def test_tokens_that_only_the_draft_has_are_skipped(surplus: int) -> None:
    alignment = following([*DRAFT[:5], DRAFT[5 + surplus]])
    assert (alignment.place, alignment.footing) == (6 + surplus, Footing.TOKEN_FOUND)


def test_a_line_that_only_the_draft_has_is_skipped_after_two_tokens() -> None:
    alignment = following([*DRAFT[:5], DRAFT[17], DRAFT[18]])
    assert (alignment.place, alignment.footing) == (19, Footing.PAIR_FOUND)


def test_a_token_that_the_draft_lacks_is_waited_out() -> None:
    alignment = following([*DRAFT[:5], 7, DRAFT[5]])
    assert (alignment.place, alignment.footing) == (6, Footing.TOKEN_FOUND)


def test_a_single_token_far_away_is_no_reason_to_jump() -> None:
    assert following([*DRAFT[:5], DRAFT[60]]).place == 6


def test_a_pair_far_away_is_followed_when_nothing_near_fits() -> None:
    alignment = following([*DRAFT[:5], 7, DRAFT[60], DRAFT[61]])
    assert (alignment.place, alignment.footing) == (62, Footing.PAIR_FOUND)


def test_blocks_in_another_order_are_found_again_both_ways() -> None:
    assert following([*DRAFT[50:60], *DRAFT[10:20]]).place == 20
    assert following([*DRAFT[10:20], *DRAFT[50:60]]).place == 60


def test_of_equal_places_the_nearest_is_taken() -> None:
    draft = [1, 2, 3, 1, 2, 4, 1, 2, 5, 1, 2, 6]
    alignment = following([1, 2, 3, 9, 1, 2], draft)
    assert alignment.expects(4)


def test_a_draft_that_has_run_out_expects_nothing() -> None:
    alignment = following([*DRAFT, 7, 8, 9])
    assert alignment.place == len(DRAFT)
    assert not alignment.expects(100)


def test_an_output_that_goes_back_is_found_after_the_draft_has_run_out() -> None:
    assert following([*DRAFT, 7, DRAFT[40], DRAFT[41]]).expects(DRAFT[42])


@given(draft=SMALL, output=SMALL)
def test_the_place_is_in_the_draft_or_at_its_end(draft: list[int], output: list[int]) -> None:
    alignment = Alignment(draft)
    for token in output:
        expected = alignment.expects(token)
        alignment.follow(token)
        assert 0 <= alignment.place <= len(draft)
        found = alignment.footing in (Footing.TOKEN_FOUND, Footing.PAIR_FOUND, Footing.ALIGNED)
        assert not found or draft[alignment.place - 1] == token
        assert found or not expected
