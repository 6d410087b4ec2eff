"""Work on many things at once, in a bounded window, with results in order."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")

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


class EventQueue:
    """Puts what several tasks have to say into one stream, held back by a bound.

    The producer's exception is raised to the consumer; a consumer that leaves ends the producer.
    """

    def __init__(self, bound: int) -> None:
        self._queue: asyncio.Queue[Any] = asyncio.Queue(bound)
        self._has_reader = True

    async def put(self, event: Any) -> None:
        await self._queue.put(event)

    async def drain(self, produce: Callable[[], Coroutine[Any, Any, None]]) -> AsyncGenerator[Any, None]:
        """Runs the producer, and gives what is put until it returns."""
        task = asyncio.create_task(self._run(produce))
        try:
            while (event := await self._queue.get()) is not _END:
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
                await self._queue.put(_END)


_END = object()
