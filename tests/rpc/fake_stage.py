"""A stage without a model: what it does with a page or crop, the label of the call says.

`python -m tests.rpc.fake_stage` runs it as a process of its own.
"""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import msgspec
import structlog

from arcscribe.errors import InvalidOption
from arcscribe.rpc.channel import open_channel
from arcscribe.rpc.process import ProcessArguments, run_process
from arcscribe.rpc.server import Service, serve
from arcscribe.v1 import layout_pb2, layout_pb2_grpc, page_pb2, vlm_pb2, vlm_pb2_grpc

NAME = "arcscribe.v1.LayoutAnalyzer"

SECRET = "the text of page 3"
"""What is in a local variable when the fake stage fails; logs must not hold it."""

log = structlog.get_logger()


class FakeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a test wants of the process."""

    grace_seconds: float = 10.0
    load_seconds: float = 0.0
    layout: dict[str, object] = msgspec.field(default_factory=dict)
    vlm: dict[str, object] = msgspec.field(default_factory=dict)
    draft: str = "none"
    draft_vlm: dict[str, object] = msgspec.field(default_factory=dict)


async def do(what: str) -> None:
    """Sleeps for a number of seconds, or fails as asked."""
    secret = SECRET
    log.info("working", what=what)
    if what == "refuse":
        raise InvalidOption("it is refused", field="image")
    if what == "crash":
        raise RuntimeError(f"{len(secret)} characters crashed it")
    await asyncio.sleep(float(what or 0))


class FakeStage(layout_pb2_grpc.LayoutAnalyzerServicer, vlm_pb2_grpc.RegionRecognizerServicer):
    """Both services: a page's bytes and a crop's draft say what is to be done."""

    def __init__(self) -> None:
        self.in_work = 0

    async def Analyze(  # noqa: N802
        self, request: layout_pb2.AnalyzeRequest, _context: Any
    ) -> layout_pb2.AnalyzeResponse:
        await do(request.image.data.decode())
        return layout_pb2.AnalyzeResponse(width=1, height=1)

    async def Recognize(  # noqa: N802
        self, requests: AsyncIterator[vlm_pb2.RecognizeRequest], _context: Any
    ) -> AsyncIterator[vlm_pb2.RecognizeResponse]:
        self.in_work += 1
        try:
            async for request in requests:
                await do(request.draft)
                yield vlm_pb2.RecognizeResponse(id=request.id)
        finally:
            self.in_work -= 1


def fake_service(stage: FakeStage, warm_up: Callable[[], Awaitable[None]]) -> Service:
    def add_to(server: grpc.aio.Server) -> None:
        layout_pb2_grpc.add_LayoutAnalyzerServicer_to_server(stage, server)
        vlm_pb2_grpc.add_RegionRecognizerServicer_to_server(stage, server)

    async def close() -> None:
        log.info("closed")

    return Service(NAME, add_to, warm_up, close)


async def nothing() -> None:
    return


@asynccontextmanager
async def running(
    folder: Path,
    *,
    stage: FakeStage | None = None,
    warm_up: Callable[[], Awaitable[None]] = nothing,
    grace_seconds: float = 1.0,
) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a fake stage on this event loop."""
    address = f"unix:{folder}/stage.sock"
    service = fake_service(stage or FakeStage(), warm_up)
    task = asyncio.create_task(serve(service, address, grace_seconds=grace_seconds))
    try:
        async with open_channel(address) as channel:
            await asyncio.wait_for(channel.channel_ready(), 10)
            yield channel
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def analyze(channel: grpc.aio.Channel, what: str, **call: Any) -> Awaitable[layout_pb2.AnalyzeResponse]:
    """Starts a call that does so."""
    request = layout_pb2.AnalyzeRequest(image=page_pb2.Image(data=what.encode()))
    return layout_pb2_grpc.LayoutAnalyzerStub(channel).Analyze(request, **{"timeout": 20, **call})


async def run(arguments: ProcessArguments[FakeSettings]) -> None:
    async def warm_up() -> None:
        await asyncio.to_thread(time.sleep, arguments.settings.load_seconds)

    await serve(
        fake_service(FakeStage(), warm_up),
        arguments.listen,
        grace_seconds=arguments.settings.grace_seconds,
        exit_with_parent=arguments.exit_with_parent,
    )


def main() -> None:
    sys.exit(run_process("fake_stage", FakeSettings, run))


if __name__ == "__main__":
    main()
