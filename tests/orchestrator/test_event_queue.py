"""One stream of what several tasks say: all of it, held back by a bound, and passing events in between."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.event_queue import EventQueue


@given(st.lists(st.lists(st.integers(), max_size=8), max_size=4), st.integers(1, 3))
def test_the_queue_gives_everything_that_is_put_in_the_order_of_each_producer(
    said: list[list[int]], bound: int
) -> None:
    queue = EventQueue[tuple[int, int]](bound)

    async def say(speaker: int) -> None:
        for word in said[speaker]:
            await queue.put((speaker, word))
            await asyncio.sleep(0)

    async def produce() -> None:
        await asyncio.gather(*(say(speaker) for speaker in range(len(said))))

    async def run() -> list[tuple[int, int]]:
        return [event async for event in queue.drain(produce)]

    heard = asyncio.run(run())
    for speaker, words in enumerate(said):
        assert [word for by, word in heard if by == speaker] == words


@settings(max_examples=20)
@given(st.integers(1, 4), st.integers(0, 9))
def test_the_producers_exception_reaches_the_consumer_after_what_it_put(bound: int, put: int) -> None:
    queue = EventQueue[int](bound)
    heard = []

    async def produce() -> None:
        for number in range(put):
            await queue.put(number)
        raise ValueError("it failed")

    async def run() -> None:
        async for event in queue.drain(produce):
            heard.append(event)

    with pytest.raises(ValueError, match="it failed"):
        asyncio.run(run())
    assert heard == list(range(put))


def test_a_producer_waits_for_a_consumer_that_is_slow() -> None:
    queue, put = EventQueue[int](2), []

    async def produce() -> None:
        for number in range(10):
            await queue.put(number)
            put.append(number)

    async def run() -> None:
        async with aclosing(queue.drain(produce)) as events:
            await anext(events)
            await asyncio.sleep(0.01)
            assert len(put) == 3

    asyncio.run(run())
    assert len(put) == 3


def test_a_consumer_that_leaves_ends_a_producer_that_waits_to_put() -> None:
    queue, ended = EventQueue[str](1), []

    async def produce() -> None:
        try:
            while True:
                await queue.put("more")
        finally:
            ended.append(True)

    async def run() -> None:
        async with aclosing(queue.drain(produce)) as events:
            await anext(events)
        assert ended == [True]

    asyncio.run(run())


def heard_from(queue: EventQueue[str], produce: Callable[[], Coroutine[Any, Any, None]]) -> list[str]:
    async def run() -> list[str]:
        return [event async for event in queue.drain(produce)]

    return asyncio.run(run())


def test_of_what_passes_under_one_key_only_the_newest_is_taken() -> None:
    queue = EventQueue[str](2)

    async def produce() -> None:
        for text in ("t", "te", "tex"):
            queue.show(1, text)
        queue.show(2, "other")
        await asyncio.sleep(0.01)

    assert heard_from(queue, produce) == ["tex", "other"]


def test_what_passes_is_taken_after_what_waits_and_takes_no_room_from_it() -> None:
    queue = EventQueue[str](2)

    async def produce() -> None:
        for number in range(50):
            queue.show(number, f"passing {number}")
        async with asyncio.timeout(1):
            await queue.put("one")
            await queue.put("two")
        await asyncio.sleep(0.01)

    assert heard_from(queue, produce) == ["one", "two", *(f"passing {number}" for number in range(50))]


def test_an_event_ends_what_passes_under_its_key() -> None:
    queue = EventQueue[str](2)

    async def produce() -> None:
        queue.show(1, "half of one")
        queue.show(2, "half of two")
        await queue.put("one", ends=1)
        await asyncio.sleep(0.01)

    assert heard_from(queue, produce) == ["one", "half of two"]


def test_what_still_passes_at_the_end_is_dropped() -> None:
    queue = EventQueue[str](2)

    async def produce() -> None:
        queue.show(1, "half")

    assert heard_from(queue, produce) == []
