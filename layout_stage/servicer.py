"""Messages and types round one call of the layout stage."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Any, Protocol

from arcscribe.background import background_threads
from arcscribe.convert.images import image_from_message
from arcscribe.convert.layout import layout_to_message
from arcscribe.errors import QueueFull
from arcscribe.rpc.logs import current_request_id
from arcscribe.rpc.metrics import describe
from arcscribe.rpc.traces import span
from arcscribe.turns import Turns
from arcscribe.types import PageLayout, RgbImage, StageModel
from arcscribe.v1 import layout_pb2, layout_pb2_grpc
from layout_stage.metrics import PAGES_HELD, PAGES_LIMIT, observe_steps

SERVICE_NAME = layout_pb2.DESCRIPTOR.services_by_name["LayoutAnalyzer"].full_name


class Analyzer(Protocol):
    """A page's pixels into its regions; called from as many threads as pages are in work."""

    @property
    def model(self) -> StageModel: ...

    def analyze(self, image: RgbImage, *, detect_orientation: bool = True) -> PageLayout: ...


class LayoutServicer(layout_pb2_grpc.LayoutAnalyzerServicer):
    """Analyses `at_once` pages, each in a thread of its own; others wait, up to `max_waiting`.

    Calls with different request ids, which are of different documents, take turns.
    """

    def __init__(self, load: Callable[[], Analyzer], max_waiting: int, at_once: int = 1) -> None:
        self._load = load
        self._most = max_waiting + at_once
        self._in_work = 0
        PAGES_LIMIT.set(self._most)
        self._turns = Turns(at_once)
        self._threads = background_threads(at_once, "layout")
        self._analyzer: asyncio.Future[Analyzer] = asyncio.get_running_loop().create_future()

    async def warm_up(self) -> None:
        """Loads the models; calls that came before are answered after."""
        analyzer: Analyzer = await self._in_thread(self._load)
        describe("layout_stage", analyzer.model)
        self._analyzer.set_result(analyzer)

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def Analyze(  # noqa: N802  # the contract's name
        self, request: layout_pb2.AnalyzeRequest, _context: Any
    ) -> layout_pb2.AnalyzeResponse:
        if self._in_work >= self._most:
            raise QueueFull(f"{self._in_work} pages are in work or wait", retry_after_ms="500")
        self._in_work += 1
        try:
            with PAGES_HELD.track_inprogress():
                analyzer = await asyncio.shield(self._analyzer)
                response: layout_pb2.AnalyzeResponse = await self._in_thread(_analyze, analyzer, request)
            return response
        finally:
            self._in_work -= 1

    async def _in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Waits for a thread; one whose caller leaves in the middle is free when it has finished."""
        loop, caller = asyncio.get_running_loop(), current_request_id()
        await self._turns.take(caller)
        context = copy_context()  # with the request id, for what the analyzer logs
        future = self._threads.submit(context.run, function, *arguments)

        def give_back(_: object) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._turns.give_back, caller)

        future.add_done_callback(give_back)
        return await asyncio.wrap_future(future)


def _analyze(analyzer: Analyzer, request: layout_pb2.AnalyzeRequest) -> layout_pb2.AnalyzeResponse:
    image = image_from_message(request.image)
    with span("analyze", height=image.shape[0], width=image.shape[1]) as own:
        layout = analyzer.analyze(image, detect_orientation=not request.skip_orientation)
        own.annotate(regions=len(layout.regions), engine=layout.model.engine)
    observe_steps(layout)
    return layout_to_message(layout)
