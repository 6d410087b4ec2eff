"""Calls of several threads become one, and fail one by one."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import pytest

from layout_stage.engines.gathering import Gathering

LONG = 10.0
"""Seconds that no test waits: a batch is full before."""


class Doubling:
    """Doubles numbers and notes its calls; refuses 13, and what is more than it takes at once."""

    def __init__(self, takes: int = 100) -> None:
        self.calls: list[int] = []
        self._takes, self._lock = takes, Lock()

    def __call__(self, numbers: Sequence[int]) -> Sequence[int]:
        with self._lock:
            self.calls.append(len(numbers))
        if 13 in numbers or len(numbers) > self._takes:
            raise ValueError(f"not {list(numbers)}")
        return [2 * number for number in numbers]


def doubled(gathering: Gathering[int, int], numbers: Sequence[int]) -> list[int | str]:
    def one(number: int) -> int | str:
        try:
            return gathering.result(number)
        except ValueError as error:
            return str(error)

    with ThreadPoolExecutor(len(numbers)) as threads:
        return list(threads.map(one, numbers))


def test_a_full_batch_is_one_call_and_each_gets_its_own_result() -> None:
    call = Doubling()
    assert doubled(Gathering(call, 4, LONG), range(8)) == [2 * n for n in range(8)]
    assert call.calls == [4, 4]


def test_a_batch_that_does_not_fill_is_called_after_the_wait() -> None:
    call = Doubling()
    assert doubled(Gathering(call, 4, 0.02), [1]) == [2]
    assert call.calls == [1]


def test_a_batch_of_one_waits_for_nobody() -> None:
    assert Gathering(Doubling(), 1, LONG).result(3) == 6


def test_an_item_that_fails_fails_alone() -> None:
    call = Doubling()
    gathering = Gathering(call, 3, LONG)
    assert doubled(gathering, [1, 13, 2]) == [2, "not [13]", 4]
    assert sorted(call.calls) == [1, 1, 1, 3]
    assert doubled(gathering, [4, 5, 6]) == [8, 10, 12]
    assert call.calls[-1] == 3


def test_nothing_is_gathered_again_where_only_batches_fail() -> None:
    call = Doubling(takes=1)
    gathering = Gathering(call, 2, LONG)
    assert doubled(gathering, [1, 2]) == [2, 4]
    assert doubled(gathering, [3, 4]) == [6, 8]
    assert sorted(call.calls) == [1, 1, 1, 1, 2]


def test_an_error_of_a_single_call_is_raised_as_it_is() -> None:
    with pytest.raises(ValueError, match=r"not \[13\]"):
        Gathering(Doubling(), 1, LONG).result(13)
