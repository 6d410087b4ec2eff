"""Places that tasks take in turn."""

import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.turns import Turns

STEP = st.tuples(st.sampled_from(["take", "leave"]), st.integers(0, 3))


async def settled() -> None:
    for _ in range(4):
        await asyncio.sleep(0)


@given(steps=st.lists(STEP, max_size=40), places=st.integers(1, 3), one_each=st.booleans())
def test_places_are_as_many_as_there_are_and_none_is_lost(
    steps: Sequence[tuple[str, int]], places: int, one_each: bool
) -> None:
    async def work() -> None:
        turns = Turns(places, one_each=one_each)
        tasks: dict[int, list[asyncio.Task[None]]] = {number: [] for number in range(4)}
        inside: Counter[int] = Counter()

        async def hold(number: int) -> None:
            async with turns.place(number):
                inside[number] += 1
                try:
                    await asyncio.Event().wait()
                finally:
                    inside[number] -= 1

        for what, number in steps:
            if what == "take":
                tasks[number].append(asyncio.create_task(hold(number)))
            elif tasks[number]:
                tasks[number].pop(len(tasks[number]) // 2).cancel()
            await settled()
            open_tasks = {number: len(own) for number, own in tasks.items() if own}
            assert turns.taken == inside.total()
            assert turns.taken + turns.waiting == sum(open_tasks.values())
            if one_each:
                assert all(inside[number] for number in open_tasks)
                assert turns.taken <= places + len(open_tasks) - 1 or not open_tasks
            else:
                assert turns.taken == min(places, sum(open_tasks.values()))
        rest = [task for own in tasks.values() for task in own]
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        assert (turns.taken, turns.waiting) == (0, 0)

    asyncio.run(work())


def test_who_has_one_piece_of_work_waits_for_one_of_each_other() -> None:
    order: list[str] = []

    async def work() -> None:
        turns = Turns(1)

        async def do(of: str) -> None:
            async with turns.place(of):
                order.append(of)
                await asyncio.sleep(0)

        await asyncio.gather(*map(do, "aaaabbbbc"))

    asyncio.run(work())
    assert order.index("c") <= 3


def test_a_place_that_comes_as_its_task_is_cancelled_goes_on_to_the_next() -> None:
    async def work() -> None:
        turns = Turns(1)
        await turns.take("first")
        tasks = [asyncio.create_task(turns.take(name)) for name in ("second", "third")]
        await settled()
        tasks[0].cancel()
        turns.give_back("first")
        with pytest.raises(asyncio.CancelledError):
            await tasks[0]
        await asyncio.wait_for(tasks[1], 1)
        assert (turns.taken, turns.waiting) == (1, 0)

    asyncio.run(work())
