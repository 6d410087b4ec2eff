"""The orchestrator's side of the two stages: calls, deadlines, and what is tried again."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager

import grpc
import msgspec
import structlog

from arcscribe.convert.images import image_to_message
from arcscribe.convert.layout import layout_from_message
from arcscribe.convert.recognition import crop_to_message, failure_from_message, text_from_message
from arcscribe.errors import (
    ArcscribeError,
    InferenceFailed,
    InvalidOption,
    QueueFull,
    StageTimeout,
    StageUnavailable,
)
from arcscribe.rpc.channel import open_channel
from arcscribe.rpc.logs import REQUEST_ID_KEY, current_request_id
from arcscribe.rpc.status import from_rpc_error
from arcscribe.types import Crop, PageLayout, RegionFailure, RegionText, RgbImage
from arcscribe.v1 import layout_pb2, layout_pb2_grpc, vlm_pb2, vlm_pb2_grpc
from orchestrator.gate import Gate

log = structlog.get_logger()

ATTEMPTS = 3
"""How often one page or crop is sent, when the stage breaks off in the middle of it."""

PAUSE_SECONDS = 0.2
"""Before a page or crop is sent again: the channel needs a moment to see that the stage is gone."""

RecognizedRegion = tuple[int, RegionText | RegionFailure]
"""A crop's id, and what became of it."""


class StageSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a stage is, how long a page may take it, and how long it may be gone before a document fails."""

    address: str
    timeout_seconds: float = 600.0
    wait_seconds: float = 60.0


class _Stage:
    """A channel to one stage."""

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


def _metadata() -> tuple[tuple[str, str], ...]:
    return ((REQUEST_ID_KEY, current_request_id()),)


class LayoutStage:
    """The layout stage, as a function from a page's pixels to its regions."""

    def __init__(self, settings: StageSettings) -> None:
        self._stage = _Stage("layout", settings)
        self._stub = layout_pb2_grpc.LayoutAnalyzerStub(self._stage.channel)

    async def analyze(self, image: RgbImage, *, skip_orientation: bool) -> PageLayout:
        """The regions of a page.

        A page in whose work the stage breaks off is sent again, at last alone: so a page that breaks the
        stage fails alone. A full queue is waited for.

        Raises:
            StageUnavailable: the stage cannot be reached.
            InferenceFailed: it broke off whenever it was given this page, or its model failed.
            StageTimeout: it took too long.
        """
        request = layout_pb2.AnalyzeRequest(image=image_to_message(image), skip_orientation=skip_orientation)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                async with self._stage.call(alone=attempt == ATTEMPTS):
                    response = await self._analyze(request)
            except _BrokeOff as error:
                log.warning("layout broke off", attempt=attempt, message=str(error))
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                return layout_from_message(response)
        raise InferenceFailed("the layout stage broke off whenever it was given this page")

    async def _analyze(self, request: layout_pb2.AnalyzeRequest) -> layout_pb2.AnalyzeResponse:
        end = time.monotonic() + self._stage.settings.timeout_seconds
        while True:
            try:
                return await self._stub.Analyze(
                    request, timeout=max(0.0, end - time.monotonic()), metadata=_metadata()
                )
            except grpc.aio.AioRpcError as rpc_error:
                error = from_rpc_error(rpc_error)
                if isinstance(error, StageUnavailable):
                    raise _BrokeOff(error.message) from None
                if not isinstance(error, QueueFull):
                    raise error from None
                await asyncio.sleep(int(error.details.get("retry_after_ms", "200")) / 1000)

    async def close(self) -> None:
        await self._stage.channel.close(None)


class _BrokeOff(Exception):
    """The stage could be reached, but did not answer."""


class VlmStage:
    """The VLM stage, as a function from crops to what they say."""

    def __init__(self, settings: StageSettings) -> None:
        self._stage = _Stage("vlm", settings)
        self._stub = vlm_pb2_grpc.RegionRecognizerStub(self._stage.channel)

    async def recognize(self, crops: Sequence[Crop]) -> AsyncGenerator[RecognizedRegion, None]:
        """What became of each crop, in the order in which that is known; exactly one result for each.

        What was not answered when the stage broke off is sent again, at last crop by crop, each alone: so a
        crop that breaks the stage fails alone.

        Raises:
            StageUnavailable: the stage cannot be reached.
        """
        waiting = {crop.id: crop for crop in crops}
        for attempt in range(1, ATTEMPTS + 1):
            alone = attempt == ATTEMPTS
            crops_of_calls = [[crop] for crop in waiting.values()] if alone else [list(waiting.values())]
            for sent in filter(None, crops_of_calls):
                async with aclosing(self._answers(sent, alone=alone)) as answers:
                    async for crop_id, result in answers:
                        del waiting[crop_id]
                        yield crop_id, result
        for crop_id in waiting:
            yield crop_id, RegionFailure(InferenceFailed.reason, "the VLM stage broke off at this region")

    async def _answers(self, crops: Sequence[Crop], *, alone: bool) -> AsyncGenerator[RecognizedRegion, None]:
        """The results of one stream, at most one for each crop; it ends early where the stage breaks off."""
        unanswered = {crop.id for crop in crops}
        async with self._stage.call(alone=alone):
            call = self._stub.Recognize(
                _messages(crops), timeout=self._stage.settings.timeout_seconds, metadata=_metadata()
            )
            try:
                async for response in call:
                    if response.WhichOneof("result") != "partial" and response.id in unanswered:
                        unanswered.remove(response.id)
                        yield response.id, _result(response)
            except grpc.aio.AioRpcError as rpc_error:
                error = from_rpc_error(rpc_error)
                log.warning("recognition broke off", reason=error.reason, unanswered=len(unanswered))
                if error.retryable:
                    await asyncio.sleep(PAUSE_SECONDS)
                    return
                for crop_id in unanswered:
                    yield crop_id, _failure(error)
            finally:
                call.cancel()

    async def close(self) -> None:
        await self._stage.channel.close(None)


async def _messages(crops: Sequence[Crop]) -> AsyncIterator[vlm_pb2.RecognizeRequest]:
    for crop in crops:
        yield crop_to_message(crop)


def _result(response: vlm_pb2.RecognizeResponse) -> RegionText | RegionFailure:
    try:
        if response.HasField("text"):
            return text_from_message(response.text)
        return failure_from_message(response.failure)
    except InvalidOption as error:
        return RegionFailure(InferenceFailed.reason, f"the VLM stage answered wrongly: {error.message}")


def _failure(error: ArcscribeError) -> RegionFailure:
    known = isinstance(error, StageTimeout)
    return RegionFailure(error.reason, "the VLM stage took too long" if known else "the VLM stage failed")
