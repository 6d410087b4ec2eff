"""Calls that find every place at the service taken, and come back when it says."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

from arcscribe.errors import QueueFull
from arcscribe.events import ParseEvent
from arcscribe.upload import Source

_RETRY_AFTER_SECONDS = 1.0
"""Where the service does not say when to come back."""
_SPREAD = 0.25
"""By how much of it a wait is longer or shorter, so that those refused together do not come back together."""


async def until_a_place_is_free(
    call: Callable[[float], AsyncGenerator[ParseEvent, None]], seconds: float
) -> AsyncGenerator[ParseEvent, None]:
    """The events of a call that is made again as long as it is refused with QUEUE_FULL.

    Args:
        call: makes it, with so many seconds for its deadline.
        seconds: for all attempts, and the waiting between them.

    Raises:
        QueueFull: there was no place in all the time.
        ArcscribeError: any other error of the call.
    """
    end = time.monotonic() + seconds
    while True:
        told = False
        try:
            async with aclosing(call(max(0.0, end - time.monotonic()))) as events:
                async for event in events:
                    told = True
                    yield event
        except QueueFull as error:
            wait = _wait_of(error)
            if told or time.monotonic() + wait >= end:
                raise
        else:
            return
        await asyncio.sleep(wait)


def can_be_read_again(source: Source) -> bool:
    """Whether a document can be sent a second time; what came through a pipe is gone."""
    return isinstance(source, bytes) or not Path(source).is_fifo()


def _wait_of(error: QueueFull) -> float:
    return error.retry_after(_RETRY_AFTER_SECONDS) * random.uniform(1 - _SPREAD, 1 + _SPREAD)
