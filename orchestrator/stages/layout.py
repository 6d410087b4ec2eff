"""The layout stage, seen from the orchestrator."""

import asyncio
import time

import grpc
import structlog

from arcscribe.convert.images import image_to_message
from arcscribe.convert.layout import layout_from_message
from arcscribe.errors import InferenceFailed, InvalidOption, QueueFull, StageUnavailable
from arcscribe.rpc.status import from_rpc_error
from arcscribe.types import PageLayout, RgbImage
from arcscribe.v1 import layout_pb2, layout_pb2_grpc
from orchestrator.stages.channel import ATTEMPTS, PAUSE_SECONDS, StageChannel, StageSettings, call_metadata

log = structlog.get_logger()


class _BrokeOff(Exception):
    """The stage could be reached, but did not answer."""


class LayoutStage:
    """The layout stage, as a function from a page's pixels to its regions."""

    def __init__(self, settings: StageSettings) -> None:
        self._stage = StageChannel("layout", settings)
        self._stub = layout_pb2_grpc.LayoutAnalyzerStub(self._stage.channel)

    async def analyze(self, image: RgbImage, *, skip_orientation: bool) -> PageLayout:
        """The regions of a page.

        A page in whose work the stage breaks off is sent again, at last alone: so a page that breaks the
        stage fails alone. A full queue is waited for.

        Raises:
            StageUnavailable: the stage cannot be reached.
            InferenceFailed: it broke off whenever it was given this page, its model failed, or its answer is
                not as the contract says.
            StageTimeout: it took too long.
        """
        request = layout_pb2.AnalyzeRequest(image=image_to_message(image), skip_orientation=skip_orientation)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                async with self._stage.call(alone=attempt == ATTEMPTS):
                    response = await self._analyze(request)
            except _BrokeOff as error:
                log.warning("stage broke off", stage="layout", attempt=attempt, message=str(error))
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                return _layout(response)
        raise InferenceFailed("the layout stage broke off whenever it was given this page")

    async def _analyze(self, request: layout_pb2.AnalyzeRequest) -> layout_pb2.AnalyzeResponse:
        end = time.monotonic() + self._stage.settings.timeout_seconds
        while True:
            try:
                return await self._stub.Analyze(
                    request, timeout=max(0.0, end - time.monotonic()), metadata=call_metadata()
                )
            except grpc.aio.AioRpcError as rpc_error:
                error = from_rpc_error(rpc_error)
                if isinstance(error, StageUnavailable):
                    raise _BrokeOff(error.message) from None
                if not isinstance(error, QueueFull):
                    raise error from None
                await asyncio.sleep(int(error.details.get("retry_after_ms", "200")) / 1000)

    async def close(self) -> None:
        await self._stage.close()


def _layout(response: layout_pb2.AnalyzeResponse) -> PageLayout:
    try:
        return layout_from_message(response)
    except InvalidOption as error:
        raise InferenceFailed(f"the layout stage answered wrongly: {error.message}") from error
