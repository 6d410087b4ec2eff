from hypothesis import given
from hypothesis import strategies as st

from vlm_stage.engines.paddleocr_vl.scheduling.draft_shares import draft_shares


@given(st.lists(st.integers(0, 20), max_size=16), st.integers(0, 40))
def test_a_budget_is_used_up_or_all_have_what_they_want_and_none_has_more_at_the_cost_of_another(
    wanted: list[int], budget: int
) -> None:
    shares = draft_shares(wanted, budget)
    assert sum(shares) == min(budget, sum(wanted))
    assert all(0 <= share <= want for share, want in zip(shares, wanted, strict=True))
    unserved = [share for share, want in zip(shares, wanted, strict=True) if share < want]
    assert all(max(shares) <= share + 1 for share in unserved)


def test_what_does_not_divide_goes_to_the_earlier_ones() -> None:
    assert draft_shares([9, 9, 9], 5) == [2, 2, 1]
    assert draft_shares([9, 1, 9], 6) == [3, 1, 2]
