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
