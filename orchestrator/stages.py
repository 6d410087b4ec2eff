"""The orchestrator's side of the two stages: calls, deadlines, and what is tried again."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence

import grpc
import msgspec
import structlog

from arcscribe.convert.images import image_to_message
from arcscribe.convert.layout import layout_from_message
from arcscribe.convert.recognition import crop_to_message, failure_from_message, text_from_message
from arcscribe.errors import ArcscribeError, InferenceFailed, StageTimeout, StageUnavailable
from arcscribe.rpc.channel import open_channel
from arcscribe.rpc.logs import REQUEST_ID_KEY, current_request_id
from arcscribe.rpc.status import from_rpc_error
from arcscribe.types import Crop, PageLayout, RegionFailure, RegionText, RgbImage
from arcscribe.v1 import layout_pb2, layout_pb2_grpc, vlm_pb2, vlm_pb2_grpc

log = structlog.get_logger()

ATTEMPTS = 3
"""How often one page or crop is sent, when the stage breaks off in the middle of it."""

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

    async def wait_until_connected(self) -> None:
        """Returns when the stage can be reached.

        Raises:
            StageUnavailable: it could not be within `wait_seconds`.
        """
        try:
            await asyncio.wait_for(self.channel.channel_ready(), self.settings.wait_seconds)
        except TimeoutError:
            raise StageUnavailable(f"the {self._name} stage cannot be reached") from None


def _metadata() -> tuple[tuple[str, str], ...]:
    return ((REQUEST_ID_KEY, current_request_id()),)


class LayoutStage:
    """The layout stage, as a function from a page's pixels to its regions."""

    def __init__(self, settings: StageSettings) -> None:
        self._stage = _Stage("layout", settings)
        self._stub = layout_pb2_grpc.LayoutAnalyzerStub(self._stage.channel)

    async def analyze(self, image: RgbImage, *, skip_orientation: bool) -> PageLayout:
        """The regions of a page.

        Raises:
            StageUnavailable: the stage cannot be reached.
            InferenceFailed: it broke off whenever it was given this page, or its model failed.
            StageTimeout: it took too long.
        """
        request = layout_pb2.AnalyzeRequest(image=image_to_message(image), skip_orientation=skip_orientation)
        for attempt in range(1, ATTEMPTS + 1):
            await self._stage.wait_until_connected()
            try:
                response = await self._stub.Analyze(
                    request, timeout=self._stage.settings.timeout_seconds, metadata=_metadata()
                )
            except grpc.aio.AioRpcError as error:
                await _pause_or_raise(from_rpc_error(error), attempt)
            else:
                return layout_from_message(response)
        raise InferenceFailed("the layout stage broke off whenever it was given this page")

    async def close(self) -> None:
        await self._stage.channel.close(None)


async def _pause_or_raise(error: ArcscribeError, attempt: int) -> None:
    if not error.retryable:
        raise error
    log.warning("layout call broke off", attempt=attempt, reason=error.reason)
    await asyncio.sleep(int(error.details.get("retry_after_ms", "200")) / 1000)


class VlmStage:
    """The VLM stage, as a function from crops to what they say."""

    def __init__(self, settings: StageSettings) -> None:
        self._stage = _Stage("vlm", settings)
        self._stub = vlm_pb2_grpc.RegionRecognizerStub(self._stage.channel)

    async def recognize(self, crops: Sequence[Crop]) -> AsyncIterator[RecognizedRegion]:
        """What became of each crop, in the order in which that is known; exactly one result for each.

        What was not answered when the stage broke off is sent again, at last crop by crop: so a crop that
        breaks the stage fails alone.

        Raises:
            StageUnavailable: the stage cannot be reached.
        """
        waiting = {crop.id: crop for crop in crops}
        for _ in range(ATTEMPTS - 1):
            async for crop_id, result in self._answers(waiting.values()):
                del waiting[crop_id]
                yield crop_id, result
            if not waiting:
                return
        for crop in tuple(waiting.values()):
            async for crop_id, result in self._answers([crop]):
                del waiting[crop_id]
                yield crop_id, result
        for crop_id in waiting:
            yield crop_id, RegionFailure(InferenceFailed.reason, "the VLM stage broke off at this region")

    async def _answers(self, crops: Iterable[Crop]) -> AsyncIterator[RecognizedRegion]:
        """The results of one stream; it ends early where the stage breaks off."""
        sent = tuple(crops)
        unanswered = {crop.id for crop in sent}
        await self._stage.wait_until_connected()
        call = self._stub.Recognize(
            _messages(sent), timeout=self._stage.settings.timeout_seconds, metadata=_metadata()
        )
        try:
            async for response in call:
                if response.WhichOneof("result") != "partial":
                    unanswered.discard(response.id)
                    yield response.id, _result(response)
        except grpc.aio.AioRpcError as rpc_error:
            error = from_rpc_error(rpc_error)
            log.warning("recognition broke off", reason=error.reason, unanswered=len(unanswered))
            if not error.retryable:
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
    if response.HasField("text"):
        return text_from_message(response.text)
    return failure_from_message(response.error)


def _failure(error: ArcscribeError) -> RegionFailure:
    known = isinstance(error, StageTimeout)
    return RegionFailure(error.reason, "the VLM stage took too long" if known else "the VLM stage failed")
