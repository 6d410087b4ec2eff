"""Work on many things at once, in a bounded window, with results in order."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from typing import Any, Generic, TypeVar

ResultT = TypeVar("ResultT")
EventT = TypeVar("EventT")

Job = Callable[[], Coroutine[Any, Any, ResultT]]


async def run_in_window(jobs: Iterable[Job[ResultT]], size: int) -> AsyncGenerator[ResultT, None]:
    """The jobs' results in the jobs' order; at most `size` are in work, or done and not yet taken.

    A job's exception is raised in its place, and ends the others.
    """
    tasks: deque[asyncio.Task[ResultT]] = deque()
    try:
        for job in jobs:
            tasks.append(asyncio.create_task(job()))
            if len(tasks) >= size:
                yield await _first(tasks)
        while tasks:
            yield await _first(tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _first(tasks: deque[asyncio.Task[ResultT]]) -> ResultT:
    result = await tasks[0]
    tasks.popleft()
    return result


class _End:
    """Follows the last event."""


class EventQueue(Generic[EventT]):
    """Puts what several tasks have to say into one stream, held back by a bound.

    The producer's exception is raised to the consumer; a consumer that leaves ends the producer.
    """

    def __init__(self, bound: int) -> None:
        self._queue: asyncio.Queue[EventT | _End] = asyncio.Queue(bound)
        self._has_reader = True

    async def put(self, event: EventT) -> None:
        """Adds an event; waits while there is no room."""
        await self._queue.put(event)

    async def drain(self, produce: Callable[[], Coroutine[Any, Any, None]]) -> AsyncGenerator[EventT, None]:
        """Runs the producer, and gives what is put until it returns."""
        task = asyncio.create_task(self._run(produce))
        try:
            while not isinstance(event := await self._queue.get(), _End):
                yield event
            await task
        finally:
            self._has_reader = False
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _run(self, produce: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await produce()
        finally:
            if self._has_reader:
                await self._queue.put(_End())
