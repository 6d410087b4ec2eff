"""All processes of one stage: which of them gets the next piece of work."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import structlog

from arcscribe.errors import ArcscribeError, StageUnavailable
from arcscribe.rpc.channel import open_channel
from orchestrator.metrics import STAGE_BREAKS, STAGES
from orchestrator.stages.member import BrokeOff, StageMember, State
from orchestrator.stages.resolver import resolved
from orchestrator.stages.stage_credentials import stage_credentials
from orchestrator.stages.stage_settings import StageSettings
from orchestrator.unrest import Unrest

log = structlog.get_logger()

RESOLVE_SECONDS = 5.0
"""Between two looks at what a name stands for."""


class StagePool:
    """The processes of one stage, whose name is for messages. Make it on the event loop."""

    def __init__(self, name: str, settings: StageSettings) -> None:
        """Looks for the processes at once.

        Raises:
            InvalidConfig: a certificate, a key or a token cannot be read.
            InvalidOption: the token would go over a network in plain text.
        """
        self.name, self.settings = name, settings
        self._credentials = stage_credentials(settings)
        self._members: dict[str, StageMember] = {}
        self._behind: dict[str, Mapping[str, str]] = {}
        """What each address of the settings stood for when that was last known."""
        self._leaving: set[StageMember] = set()
        self.unrest = Unrest()
        self._changed = asyncio.Event()
        self._closing: set[asyncio.Task[None]] = set()
        STAGES.watch(name, lambda: self.members)
        self._resolving = asyncio.create_task(self._resolve())

    @property
    def members(self) -> tuple[StageMember, ...]:
        """The processes that there are now, without those that leave."""
        return tuple(self._members.values())

    async def take(self, *, avoid: StageMember | None = None) -> StageMember:
        """The process with the least in work, which has one piece more now; give it back.

        Args:
            avoid: is taken only if there is no other.

        Raises:
            StageUnavailable: there was none within `wait_seconds`.
        """
        end = time.monotonic() + self.settings.wait_seconds
        while not (ready := [member for member in self.members if member.is_ready]):
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), max(0.0, end - time.monotonic()))
            except TimeoutError:
                raise StageUnavailable(f"the {self.name} stage cannot be reached") from None
        member = min(ready, key=lambda member: (member is avoid, member.load))
        member.load += 1
        return member

    def give_back(self, member: StageMember) -> None:
        """Counts one piece of work less for a process."""
        member.load -= 1
        if member in self._leaving and not member.load:
            self._close(member)

    def broke_off(self, member: StageMember, error: BrokeOff, **facts: int) -> None:
        """Counts and tells that a process broke off, which is asked how it is before it gets more work."""
        STAGE_BREAKS.labels(self.name).inc()
        log.warning("stage broke off", stage=self.name, message=str(error), **facts)
        member.doubt()

    @asynccontextmanager
    async def call(
        self, *, alone: bool = False, avoid: StageMember | None = None
    ) -> AsyncIterator[StageMember]:
        """A process for as long as one call; if so asked, one that does nothing else meanwhile.

        Raises:
            StageUnavailable: there was none within `wait_seconds`.
        """
        while True:
            member = await self.take(avoid=avoid)
            try:
                async with member.gate.alone() if alone else member.gate.together():
                    if member.is_ready:  # it may have died while the gate was shut
                        yield member
                        return
            finally:
                self.give_back(member)

    async def close(self) -> None:
        """Ends the calls in work and the connections."""
        self._resolving.cancel()
        await asyncio.gather(self._resolving, return_exceptions=True)
        for member in (*self.members, *self._leaving):
            await member.close()
        await asyncio.gather(*self._closing)

    async def _resolve(self) -> None:
        """Follows which processes there are, and what they are shown."""
        while True:
            for address in self.settings.addresses:
                await self._look_up(address)
            self._be_these({place: name for found in self._behind.values() for place, name in found.items()})
            if not self.settings.may_change:
                return
            await asyncio.sleep(RESOLVE_SECONDS)
            self._reread()

    async def _look_up(self, address: str) -> None:
        """What cannot be looked up stands for what it did, and leaves the others alone."""
        try:
            self._behind[address] = await resolved(address)
        except OSError as error:
            log.warning("name stands for nothing", stage=self.name, message=str(error))

    def _reread(self) -> None:
        try:
            self._credentials = stage_credentials(self.settings)
        except ArcscribeError as error:
            log.warning("credentials not reloaded", stage=self.name, message=error.message)

    def _be_these(self, names: Mapping[str, str]) -> None:
        """Has members at these addresses, with the credentials of now."""
        for address, member in tuple(self._members.items()):
            if address not in names or member.credentials != self._credentials:
                self._dismiss(address)
        for address in names.keys() - self._members.keys():
            channel = open_channel(address, self._credentials, host=names[address])
            self._members[address] = StageMember(
                address, channel, self.settings.silent_seconds, self._look, self._credentials
            )

    def _dismiss(self, address: str) -> None:
        member = self._members.pop(address)
        if member.load:
            self._leaving.add(member)
        else:
            self._close(member)

    def _look(self, member: StageMember, before: State) -> None:
        """After a change of a process's state."""
        if member.state is State.GONE and before is not State.NOT_SERVING:
            self.unrest.died()
        members = (*self.members, *self._leaving)
        if any(member.is_ready for member in members):
            for silent in (member for member in members if member.state is State.SILENT):
                silent.cut_off()
        self._changed.set()

    def _close(self, member: StageMember) -> None:
        self._leaving.discard(member)
        task = asyncio.create_task(member.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
