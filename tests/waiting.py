"""Waiting for what happens in another process or task."""

import asyncio
import time
from collections.abc import Awaitable, Callable

PAUSE_SECONDS = 0.01


def wait_until(condition: Callable[[], bool], seconds: float = 15.0) -> None:
    """Returns when it is so; fails when it takes too long."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(PAUSE_SECONDS)


async def soon(condition: Callable[[], bool], seconds: float = 15.0) -> None:
    """The same on an event loop."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        await asyncio.sleep(PAUSE_SECONDS)


async def soon_answered(condition: Callable[[], Awaitable[bool]], seconds: float = 15.0) -> None:
    """The same for what has to be asked for."""
    end = time.monotonic() + seconds
    while not await condition():
        assert time.monotonic() < end, "waited in vain"
        await asyncio.sleep(PAUSE_SECONDS)
