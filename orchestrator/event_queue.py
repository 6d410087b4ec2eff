"""What several tasks have to say, as one stream that is held back by a bound."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

EventT = TypeVar("EventT")


class _End:
    """Follows the last event."""


class EventQueue(Generic[EventT]):
    """Events that all arrive, for whose place a producer waits, and passing ones, for which nothing waits.

    The producer's exception is raised to the consumer; a consumer that leaves ends the producer.
    """

    def __init__(self, bound: int) -> None:
        self._events: deque[EventT | _End] = deque()
        self._room = asyncio.Semaphore(bound)
        self._passing: dict[Hashable, EventT] = {}
        self._filled = asyncio.Event()

    async def put(self, event: EventT, *, ends: Hashable = None) -> None:
        """Adds an event; waits while there is no room. What passes under the key `ends` is over with it."""
        await self._room.acquire()
        self._passing.pop(ends, None)
        self._add(event)

    def show(self, key: Hashable, event: EventT) -> None:
        """Adds an event that is taken when no other waits, unless a newer one of its key replaces it."""
        self._passing[key] = event
        self._filled.set()

    async def drain(self, produce: Callable[[], Coroutine[Any, Any, None]]) -> AsyncGenerator[EventT, None]:
        """Runs the producer, and gives what is put until it returns."""
        task = asyncio.create_task(self._run(produce))
        try:
            while not isinstance(event := await self._take(), _End):
                yield event
            await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _run(self, produce: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await produce()
        finally:
            self._add(_End())

    def _add(self, event: EventT | _End) -> None:
        self._events.append(event)
        self._filled.set()

    async def _take(self) -> EventT | _End:
        while not self._events and not self._passing:
            self._filled.clear()
            await self._filled.wait()
        if not self._events:
            return self._passing.pop(next(iter(self._passing)))
        self._room.release()
        return self._events.popleft()
