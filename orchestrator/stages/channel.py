"""A channel to a stage: when it may be called, and what is tried again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from arcscribe.errors import StageUnavailable
from arcscribe.rpc.channel import open_channel
from arcscribe.rpc.logs import REQUEST_ID_KEY, current_request_id
from orchestrator.stages.gate import Gate

ATTEMPTS = 3
"""How often one page or crop is sent, when the stage breaks off in the middle of it."""

PAUSE_SECONDS = 0.2
"""Before a page or crop is sent again: the channel needs a moment to see that the stage is gone."""


class StageSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a stage is, how long a page may take it, and how long it may be gone before a document fails."""

    address: str
    timeout_seconds: float = 600.0
    wait_seconds: float = 60.0


class StageChannel:
    """A channel to one stage, whose name is for messages."""

    def __init__(self, name: str, settings: StageSettings) -> None:
        self._name = name
        self.settings = settings
        self.channel = open_channel(settings.address)
        self._gate = Gate()

    @asynccontextmanager
    async def call(self, *, alone: bool) -> AsyncIterator[None]:
        """For as long as one call: entered when the stage can be reached, and, if so asked, is idle.

        Raises:
            StageUnavailable: it could not be reached within `wait_seconds`.
        """
        async with self._gate.alone() if alone else self._gate.together():
            try:
                await asyncio.wait_for(self.channel.channel_ready(), self.settings.wait_seconds)
            except TimeoutError:
                raise StageUnavailable(f"the {self._name} stage cannot be reached") from None
            yield

    async def close(self) -> None:
        """Ends the calls in work and the connection."""
        await self.channel.close(None)


def call_metadata() -> tuple[tuple[str, str], ...]:
    """What goes with every call: the request id, for the logs of the stage."""
    return ((REQUEST_ID_KEY, current_request_id()),)
