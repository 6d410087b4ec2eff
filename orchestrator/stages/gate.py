"""Calls to a stage: many at once, or one alone to see whether it is the one that breaks the stage."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

PATIENCE_SECONDS = 10.0
"""How long a call that wants to be alone waits for the others: one of them may wait for a slow caller."""


class Gate:
    """Lets calls in together, or one alone."""

    def __init__(self, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._patience = patience_seconds
        self._one_alone = asyncio.Lock()
        self._inside = 0
        self._empty = asyncio.Event()
        self._empty.set()

    @asynccontextmanager
    async def together(self) -> AsyncIterator[None]:
        """In work beside others, when none is alone."""
        async with self._one_alone:
            self._inside += 1
            self._empty.clear()
        try:
            yield
        finally:
            self._inside -= 1
            if self._inside == 0:
                self._empty.set()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """In work when the others have left, or kept it waiting too long."""
        async with self._one_alone:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._empty.wait(), self._patience)
            yield
