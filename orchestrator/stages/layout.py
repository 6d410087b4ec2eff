"""The layout stage, seen from the orchestrator."""

import asyncio
import time

from arcscribe.convert.images import image_to_message
from arcscribe.convert.layout import layout_from_message
from arcscribe.errors import InferenceFailed, InvalidOption, QueueFull, StageUnavailable
from arcscribe.rpc.deadline import time_left
from arcscribe.rpc.status import CALL_ERRORS
from arcscribe.types import PageLayout, RgbImage
from arcscribe.v1 import layout_pb2, layout_pb2_grpc
from orchestrator.stages.calls import FULL_SECONDS, PAUSE_SECONDS, call_metadata, stage_error
from orchestrator.stages.member import BrokeOff, StageMember
from orchestrator.stages.pool import StagePool
from orchestrator.stages.stage_settings import StageSettings

_UPRIGHT = (0, 180)
"""Turns, in degrees, after which a page is as high as before."""


class LayoutStage:
    """The layout stage, as a function from a page's pixels to its regions. Make it on the event loop."""

    def __init__(self, settings: StageSettings) -> None:
        self.pool = StagePool("layout", settings)

    async def analyze(self, image: RgbImage, *, skip_orientation: bool) -> PageLayout:
        """The regions of a page.

        A page in whose work a process breaks off goes to another, alone: so a page that breaks the stage
        fails alone, and breaks no more than two. A full queue is waited for.

        Raises:
            StageUnavailable: the stage cannot be reached.
            InferenceFailed: it broke off whenever it was given this page, its model failed, or its answer is
                not as the contract says.
            StageTimeout: it took too long.
        """
        request = layout_pb2.AnalyzeRequest(image=image_to_message(image), skip_orientation=skip_orientation)
        end = time.monotonic() + time_left(self.pool.settings.timeout_seconds)
        deaths, last = 0, None
        while not self.pool.unrest.is_to_blame(deaths):
            async with self.pool.call(alone=deaths > 0, avoid=last) as member:
                try:
                    return _layout(await _analyzed(member, request, end - time.monotonic()), image)
                except QueueFull as error:
                    pause = error.retry_after(FULL_SECONDS)
                except BrokeOff as error:
                    deaths, last, pause = deaths + 1, member, PAUSE_SECONDS
                    self.pool.broke_off(member, error, attempt=deaths)
            await asyncio.sleep(pause)
        raise InferenceFailed("the layout stage broke off whenever it was given this page")

    async def close(self) -> None:
        await self.pool.close()


async def _analyzed(
    member: StageMember, request: layout_pb2.AnalyzeRequest, seconds: float
) -> layout_pb2.AnalyzeResponse:
    """One process's answer. Raises BrokeOff where there was none, and what the process says is wrong."""
    stub = layout_pb2_grpc.LayoutAnalyzerStub(member.channel)
    call = stub.Analyze(request, timeout=max(0.0, seconds), metadata=call_metadata(member.credentials))
    try:
        with member.in_work(call):
            return await call
    except CALL_ERRORS as rpc_error:
        error = stage_error(rpc_error)
        if isinstance(error, StageUnavailable):
            raise BrokeOff(error.message) from None
        raise error from None


def _layout(response: layout_pb2.AnalyzeResponse, image: RgbImage) -> PageLayout:
    """The answer for a page; raises InferenceFailed where it is not as the contract says."""
    try:
        layout = layout_from_message(response)
    except InvalidOption as error:
        raise InferenceFailed(f"the layout stage answered wrongly: {error.message}") from error
    told, sides = (layout.height, layout.width), image.shape[:2]
    if told != (sides if layout.rotation in _UPRIGHT else sides[::-1]):
        raise InferenceFailed(f"the layout stage answered wrongly: {told} is not the page's height and width")
    return layout
