"""Bounded work: results in order, no more at once than allowed, nothing left over."""

import asyncio
from collections.abc import Coroutine
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.stages.gate import Gate
from orchestrator.window import run_in_window


class Work:
    """Jobs that take some turns of the loop each, and counts of what they did."""

    def __init__(self, turns: list[int], failing: int = -1) -> None:
        self._turns = turns
        self._failing = failing
        self.started = 0
        self.in_work = 0
        self.most_in_work = 0

    async def job(self, number: int) -> int:
        self.started += 1
        self.in_work += 1
        self.most_in_work = max(self.most_in_work, self.in_work)
        try:
            for _ in range(self._turns[number]):
                await asyncio.sleep(0)
            if number == self._failing:
                raise ValueError(number)
            return number
        finally:
            self.in_work -= 1

    def jobs(self) -> Any:
        return (lambda n=number: self.job(n) for number in range(len(self._turns)))


turns = st.lists(st.integers(0, 6), max_size=12)
sizes = st.integers(1, 5)


@given(turns, sizes)
def test_results_come_in_the_jobs_order_and_no_more_than_the_window_are_in_work(
    turns: list[int], size: int
) -> None:
    work = Work(turns)

    async def run() -> list[int]:
        results: list[int] = []
        async for result in run_in_window(work.jobs(), size):
            assert work.started - len(results) <= size
            results.append(result)
        return results

    assert asyncio.run(run()) == list(range(len(turns)))
    assert work.most_in_work <= size


@given(turns.filter(bool), sizes, st.data())
def test_a_failing_job_ends_the_others_and_what_came_before_it_has_come(
    turns: list[int], size: int, data: st.DataObject
) -> None:
    failing = data.draw(st.integers(0, len(turns) - 1))
    work = Work(turns, failing)
    results: list[int] = []

    async def run() -> None:
        async for result in run_in_window(work.jobs(), size):
            results.append(result)

    with pytest.raises(ValueError, match=str(failing)):
        asyncio.run(run())
    assert results == list(range(failing))
    assert work.in_work == 0


@given(turns.filter(bool), sizes, st.data())
def test_a_consumer_that_leaves_ends_all_jobs(turns: list[int], size: int, data: st.DataObject) -> None:
    leave_after = data.draw(st.integers(0, len(turns) - 1))
    work = Work(turns)

    async def run() -> None:
        async with aclosing(run_in_window(work.jobs(), size)) as results:
            async for result in results:
                if result == leave_after:
                    break
        assert work.in_work == 0

    asyncio.run(run())


async def enter(entered: list[str], name: str, way: Any, leave: asyncio.Event) -> None:
    async with way:
        entered.append(name)
        await leave.wait()
        entered.append(f"-{name}")


def started(*work: Coroutine[Any, Any, None]) -> "asyncio.Future[list[None]]":
    return asyncio.gather(*work)


def test_a_call_alone_waits_for_those_inside_and_keeps_those_behind_waiting() -> None:
    async def run() -> list[str]:
        gate, leave = Gate(), asyncio.Event()
        seen: list[str] = []
        all_of_them = started(
            enter(seen, "a", gate.together(), leave),
            enter(seen, "b", gate.together(), leave),
            enter(seen, "alone", gate.alone(), leave),
            enter(seen, "c", gate.together(), leave),
        )
        await asyncio.sleep(0.01)
        assert seen == ["a", "b"]
        leave.set()
        await all_of_them
        return seen

    seen = asyncio.run(run())
    assert seen[seen.index("alone") : seen.index("alone") + 2] == ["alone", "-alone"]
    assert seen.index("alone") > max(seen.index("-a"), seen.index("-b"))
    assert seen.index("c") > seen.index("-alone")


def test_a_call_alone_does_not_wait_for_ever() -> None:
    async def run() -> None:
        gate = Gate(patience_seconds=0.01)
        async with gate.together(), asyncio.timeout(5), gate.alone():
            pass

    asyncio.run(run())


def test_a_call_that_gives_up_at_the_gate_leaves_it_open() -> None:
    async def run() -> None:
        gate = Gate()
        async with gate.together():
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01), gate.alone():
                    pass
        async with asyncio.timeout(1), gate.together():
            pass
        async with asyncio.timeout(1), gate.alone():
            pass

    asyncio.run(run())
