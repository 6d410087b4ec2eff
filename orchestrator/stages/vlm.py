"""The VLM stage, seen from the orchestrator."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from types import MappingProxyType

from arcscribe.errors import InferenceFailed
from arcscribe.rpc.deadline import time_left
from arcscribe.types import Crop, RegionFailure
from orchestrator.event_queue import EventQueue
from orchestrator.stages.calls import PAUSE_SECONDS
from orchestrator.stages.crop_stream import CropStream, RecognizedRegion, Tell
from orchestrator.stages.member import BrokeOff, StageMember
from orchestrator.stages.pool import StagePool
from orchestrator.stages.requests import drafted
from orchestrator.stages.stage_settings import StageSettings

Drafts = Mapping[int, "asyncio.Future[str]"]
"""By the ids of crops: what each may say, once that is known."""

NO_DRAFTS: Drafts = MappingProxyType({})

WAITING_ANSWERS = 16
"""Answers that wait for a slow reader before the stage does."""


class VlmStage:
    """The VLM stage, as a function from crops to what they say. Make it on the event loop."""

    def __init__(self, settings: StageSettings) -> None:
        self.pool = StagePool("vlm", settings)

    async def recognize(
        self, crops: Sequence[Crop], drafts: Drafts = NO_DRAFTS
    ) -> AsyncGenerator[RecognizedRegion, None]:
        """What became of each crop, in the order in which that is known; exactly one result for each.

        Before its result may come any number of partial texts, where the crop's options ask for them. A crop
        that has a draft is sent with it, when it is known. Each goes to the process with the least in work.

        What was not answered when a process broke off is sent again, crop by crop, each alone: so a crop that
        breaks the stage fails alone, and breaks no more than two.

        Raises:
            StageUnavailable: the stage cannot be reached.
        """
        answers = EventQueue[RecognizedRegion](WAITING_ANSWERS)
        reading = _Reading(self.pool, answers.put)
        async with aclosing(answers.drain(partial(reading.run, crops, drafts))) as told:
            async for answer in told:
                yield answer

    async def close(self) -> None:
        await self.pool.close()


class _Reading:
    """The crops of one call, on their way through the stage's processes."""

    def __init__(self, pool: StagePool, tell: Tell) -> None:
        self.pool, self._tell = pool, tell
        self._opened: list[CropStream] = []

    async def run(self, crops: Sequence[Crop], drafts: Drafts) -> None:
        """Tells of each crop what became of it.

        Raises:
            StageUnavailable: the stage cannot be reached.
        """
        try:
            async with asyncio.TaskGroup() as self._tasks:
                await self._send(crops, drafts)
        except BaseExceptionGroup as errors:
            raise _first_of(errors) from None
        finally:
            for stream in self._opened:
                stream.drop()

    async def _send(self, crops: Sequence[Crop], drafts: Drafts) -> None:
        """Sends each crop to the process with the least in work, in one stream for each process."""
        streams: dict[StageMember, CropStream] = {}
        async for crop in drafted(crops, drafts):
            member = await self.pool.take()
            if member not in streams or streams[member].is_over:
                streams[member] = self._open(member)
            streams[member].send(crop)
        for stream in self._opened:
            stream.end()

    def _open(self, member: StageMember) -> CropStream:
        stream = CropStream(member, self._tell, partial(self.pool.give_back, member))
        self._opened.append(stream)
        self._tasks.create_task(self._together(stream))
        return stream

    async def _together(self, stream: CropStream) -> None:
        """Reads a stream beside others; crops at which it breaks off are sent again alone."""
        async with stream.member.gate.together():
            left = await self._left_by(stream)
        # In a group of their own: that of the streams takes none when the caller is leaving.
        async with asyncio.TaskGroup() as trials:
            for crop in left:
                trials.create_task(self._alone(crop, stream.member))

    async def _alone(self, crop: Crop, last: StageMember) -> None:
        """Sends one crop to a process that does nothing else, until one answers or it is to blame."""
        deaths = 1
        while not self.pool.unrest.is_to_blame(deaths):
            await asyncio.sleep(PAUSE_SECONDS)
            async with self.pool.call(alone=True, avoid=last) as member:
                stream = CropStream(member, self._tell, _nothing)
                stream.send(crop)
                stream.end()
                if not await self._left_by(stream):
                    return
            deaths, last = deaths + 1, member
        broke_off = RegionFailure(InferenceFailed.reason, "the VLM stage broke off at this region")
        await self._tell((crop.id, broke_off))

    async def _left_by(self, stream: CropStream) -> list[Crop]:
        """Reads a stream to its end; gives the crops that are to be sent again."""
        try:
            await stream.run(time_left(self.pool.settings.timeout_seconds))
        except BrokeOff as error:
            left = [*stream.unanswered.values()]
            self.pool.broke_off(stream.member, error, unanswered=len(left))
            return left
        finally:
            stream.drop()
        return []


def _first_of(error: BaseException) -> BaseException:
    """What an exception group, or one within it, holds first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _nothing() -> None:
    return
