"""Who is to blame for the death of a process."""

from orchestrator.unrest import MOST, SURE, Unrest


def test_in_calm_two_deaths_are_enough() -> None:
    unrest = Unrest()
    blamed = []
    for deaths in range(SURE + 1):
        blamed.append(unrest.is_to_blame(deaths))
        unrest.died()
    assert blamed == [False, False, True]


def test_among_many_deaths_work_is_tried_more_often_and_not_for_ever() -> None:
    unrest = Unrest()
    for _ in range(20):
        unrest.died()
    assert [unrest.is_to_blame(deaths) for deaths in range(MOST + 1)] == [False] * MOST + [True]
