"""One stream of crops to one process of the VLM stage."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable

from arcscribe.convert.recognition import crop_to_message, result_from_message
from arcscribe.errors import ArcscribeError, InferenceFailed, InvalidOption, QueueFull, StageTimeout
from arcscribe.rpc.status import CALL_ERRORS
from arcscribe.types import Crop, PartialText, RegionFailure, RegionText
from arcscribe.v1 import vlm_pb2, vlm_pb2_grpc
from orchestrator.stages.calls import FULL_SECONDS, call_metadata, stage_error
from orchestrator.stages.member import BrokeOff, StageMember

RecognizedRegion = tuple[int, PartialText | RegionText | RegionFailure]
"""A crop's id, and what became of it, or is about to."""

Tell = Callable[[RecognizedRegion], Awaitable[None]]


class CropStream:
    """Crops on their way to a process, and what it says of them."""

    def __init__(self, member: StageMember, tell: Tell, answered: Callable[[], None]) -> None:
        """Tells what is said of each crop, and calls `answered` when that was the last of one crop."""
        self.member = member
        self.is_over = False
        self._has_all = False
        self._tell, self._answered = tell, answered
        self._crops: asyncio.Queue[Crop | None] = asyncio.Queue()
        self.unanswered: dict[int, Crop] = {}
        """What it was given and has said nothing final of, by ids."""

    def send(self, crop: Crop) -> None:
        """Gives it one more."""
        self.unanswered[crop.id] = crop
        self._crops.put_nowait(crop)

    def end(self) -> None:
        """Says that no more crops come."""
        self._has_all = True
        self._crops.put_nowait(None)

    def drop(self) -> None:
        """Gives up what is unanswered."""
        for crop_id in tuple(self.unanswered):
            self._forget(crop_id)

    async def run(self, seconds: float) -> None:
        """Reads until all is answered, the time is up, or the process breaks off.

        What is unanswered then is in `unanswered`, unless it has failed: then that was told.

        Raises:
            BrokeOff: the process did not answer all.
        """
        end = time.monotonic() + seconds
        try:
            while pause := await self._call(max(0.0, end - time.monotonic())):
                await asyncio.sleep(pause)
                self._send_again()
        finally:
            self.is_over = True
        if self.unanswered:
            raise BrokeOff("it left crops unanswered")

    async def _call(self, seconds: float) -> float:
        """One call; the seconds after which to call again, where the process has no place for it, else 0."""
        stub = vlm_pb2_grpc.RegionRecognizerStub(self.member.channel)
        crops, metadata = self._crops, call_metadata(self.member.credentials)
        call = stub.Recognize(self._messages(crops), timeout=seconds, metadata=metadata)
        try:
            with self.member.in_work(call):
                async for response in call:
                    await self._hear(response)
        except CALL_ERRORS as rpc_error:
            error = stage_error(rpc_error)
            if isinstance(error, QueueFull):
                return error.retry_after(FULL_SECONDS)
            await self._fail(error)
        finally:
            crops.put_nowait(None)  # gRPC goes on waiting for crops of a call that ended by itself
        return 0.0

    def _send_again(self) -> None:
        """Begins anew with all that is unanswered."""
        self._crops = asyncio.Queue()
        for crop in self.unanswered.values():
            self._crops.put_nowait(crop)
        if self._has_all:
            self._crops.put_nowait(None)

    @staticmethod
    async def _messages(crops: asyncio.Queue[Crop | None]) -> AsyncIterator[vlm_pb2.RecognizeRequest]:
        while (crop := await crops.get()) is not None:
            yield crop_to_message(crop)

    async def _hear(self, response: vlm_pb2.RecognizeResponse) -> None:
        if response.id not in self.unanswered:
            return
        result = _result(response)
        await self._tell((response.id, result))
        if not isinstance(result, PartialText):
            self._forget(response.id)

    async def _fail(self, error: ArcscribeError) -> None:
        """Tells of a failure that another call would not mend.

        Raises:
            BrokeOff: another may.
        """
        if error.retryable:
            raise BrokeOff(error.message) from None
        for crop_id in tuple(self.unanswered):
            await self._tell((crop_id, _failure(error)))
            self._forget(crop_id)

    def _forget(self, crop_id: int) -> None:
        del self.unanswered[crop_id]
        self._answered()


def _result(response: vlm_pb2.RecognizeResponse) -> PartialText | RegionText | RegionFailure:
    try:
        return result_from_message(response)
    except InvalidOption as error:
        return RegionFailure(InferenceFailed.reason, f"the VLM stage answered wrongly: {error.message}")


def _failure(error: ArcscribeError) -> RegionFailure:
    known = isinstance(error, StageTimeout)
    return RegionFailure(error.reason, "the VLM stage took too long" if known else "the VLM stage failed")
