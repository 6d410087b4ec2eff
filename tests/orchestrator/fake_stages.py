"""Stages without models, which can be made to die and come back at the same address."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
from grpc_health.v1 import health_pb2_grpc

from arcscribe.errors import QueueFull, StageUnavailable
from arcscribe.rpc.channel import MESSAGE_OPTIONS
from arcscribe.rpc.health import SERVING, Health
from arcscribe.rpc.interceptor import CallInterceptor
from arcscribe.rpc.logs import current_request_id
from arcscribe.v1 import layout_pb2, layout_pb2_grpc, vlm_pb2, vlm_pb2_grpc

RESTART_SECONDS = 0.1


class FakeHealth(Health):
    """Says SERVING, and does not answer while the process is frozen."""

    def __init__(self, host: "Host") -> None:
        super().__init__()
        self._host = host

    async def Check(self, request: Any, context: Any) -> Any:  # noqa: N802
        await self._host.awake.wait()
        return await super().Check(request, context)


class Host:
    """A server at an address that stays, while servers come and go."""

    def __init__(self, address: str, add_to: Callable[[grpc.aio.Server], None]) -> None:
        self._address = address
        self._add_to = add_to
        self._server: grpc.aio.Server | None = None
        self._restarts: set[asyncio.Task[None]] = set()
        self.deaths = 0
        self.awake = asyncio.Event()
        self.awake.set()

    async def start(self) -> None:
        server = grpc.aio.server(interceptors=[CallInterceptor()], options=MESSAGE_OPTIONS)
        self._add_to(server)
        self.health = FakeHealth(self)
        await self.health.say("", SERVING)
        health_pb2_grpc.add_HealthServicer_to_server(self.health, server)
        server.add_insecure_port(self._address)
        await server.start()
        self._server = server

    async def stop(self) -> None:
        for task in self._restarts:
            task.cancel()
        if self._server:
            await self._server.stop(0)

    async def die(self) -> None:
        """Cuts off all calls, the one that asks for it too; a new server comes a little later."""
        self.deaths += 1
        task = asyncio.create_task(self._die_and_come_back())
        self._restarts.add(task)
        await asyncio.sleep(30)

    async def _die_and_come_back(self) -> None:
        await self.stop_serving()
        await asyncio.sleep(RESTART_SECONDS)
        await self.start()

    async def stop_serving(self) -> None:
        if self._server:
            server, self._server = self._server, None
            await server.stop(0)


@asynccontextmanager
async def hosted(host: Host) -> AsyncIterator[Host]:
    await host.start()
    try:
        yield host
    finally:
        await host.stop()


class FakeVlm(vlm_pb2_grpc.RegionRecognizerServicer):
    """Answers each crop with its draft; dies at the sight of some."""

    def __init__(self, address: str) -> None:
        self.host = Host(
            address, lambda server: vlm_pb2_grpc.add_RegionRecognizerServicer_to_server(self, server)
        )
        self.streams: list[list[int]] = []
        """The ids of the crops of each stream."""
        self.request_ids: set[str] = set()
        self.dies_at: set[int] = set()
        """Ids at which it dies whenever it sees them."""
        self.dies_once_at: set[int] = set()
        self.refuses_once_at: set[int] = set()
        """Ids at which it ends the stream, once, and lives on."""
        self.times_full = 0
        self.answers: list[vlm_pb2.RecognizeResponse] | None = None
        """What it says, whatever it is asked."""
        self.seconds = 0.0
        self.open_streams = 0

    async def Recognize(  # noqa: N802
        self, requests: AsyncIterator[vlm_pb2.RecognizeRequest], _context: Any
    ) -> AsyncIterator[vlm_pb2.RecognizeResponse]:
        if self.times_full:
            self.times_full -= 1
            [request async for request in requests]  # else the caller may be told of a broken stream only
            raise QueueFull("full", retry_after_ms="5")
        stream: list[int] = []
        self.streams.append(stream)
        self.request_ids.add(current_request_id())
        self.open_streams += 1
        try:
            async for request in requests:
                stream.append(request.id)
                await self._perhaps_die(request.id)
                await asyncio.sleep(self.seconds)
                await self.host.awake.wait()
                if self.answers is None:
                    yield _answer(request.id, request.draft)
            for answer in self.answers or ():
                yield answer
        finally:
            self.open_streams -= 1

    async def _perhaps_die(self, crop_id: int) -> None:
        if crop_id in self.refuses_once_at:
            self.refuses_once_at.discard(crop_id)
            raise StageUnavailable("it drains")
        if crop_id in self.dies_at or crop_id in self.dies_once_at:
            self.dies_once_at.discard(crop_id)
            await self.host.die()


def _answer(crop_id: int, text: str) -> vlm_pb2.RecognizeResponse:
    read = vlm_pb2.RegionText(
        text=text, format=vlm_pb2.TEXT_FORMAT_PLAIN, finish_reason=vlm_pb2.FINISH_REASON_STOP
    )
    return vlm_pb2.RecognizeResponse(id=crop_id, text=read)


class FakeLayout(layout_pb2_grpc.LayoutAnalyzerServicer):
    """Tells a page's size, one page at a time; dies at pages of some heights."""

    def __init__(self, address: str) -> None:
        self.host = Host(
            address, lambda server: layout_pb2_grpc.add_LayoutAnalyzerServicer_to_server(self, server)
        )
        self.dies_at: set[int] = set()
        self.dies_once_at: set[int] = set()
        self.times_full = 0
        self.seconds = 0.0
        self.rotation = 0
        self.calls: list[layout_pb2.AnalyzeRequest] = []
        self._one = asyncio.Lock()

    async def Analyze(  # noqa: N802
        self, request: layout_pb2.AnalyzeRequest, _context: Any
    ) -> layout_pb2.AnalyzeResponse:
        self.calls.append(request)
        if self.times_full:
            self.times_full -= 1
            raise QueueFull("full", retry_after_ms="5")
        async with self._one:
            height = request.image.height
            if height in self.dies_at or height in self.dies_once_at:
                self.dies_once_at.discard(height)
                await self.host.die()
            await asyncio.sleep(self.seconds)
            return layout_pb2.AnalyzeResponse(
                width=request.image.width, height=height, rotation=self.rotation
            )
