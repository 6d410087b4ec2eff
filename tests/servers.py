"""gRPC servers on the test's own event loop."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import structlog

from arcscribe.rpc.access import Access
from arcscribe.rpc.channel import MESSAGE_OPTIONS
from arcscribe.rpc.interceptor import CallInterceptor
from arcscribe.rpc.server import Service, serve
from tests.waiting import soon


@asynccontextmanager
async def serving(folder: Path, *add_to: Callable[[grpc.aio.Server], None]) -> AsyncIterator[str]:
    """The address of a server with such services, which translates errors as all of Arcscribe's do."""
    server = grpc.aio.server(interceptors=[CallInterceptor()], options=MESSAGE_OPTIONS)
    for add in add_to:
        add(server)
    address = f"unix:{folder}/server.sock"
    server.add_insecure_port(address)
    await server.start()
    try:
        yield address
    finally:
        await server.stop(0)


@asynccontextmanager
async def guarded(service: Service, access: Access, address: str = "127.0.0.1:0") -> AsyncIterator[str]:
    """The address of a service on this event loop, which lets in whom its access says."""
    with structlog.testing.capture_logs() as logs:
        task = asyncio.create_task(serve(service, address, grace_seconds=0, access=access))
        await soon(lambda: task.done() or any(entry["event"] == "serving" for entry in logs))
    try:
        if task.done():
            task.result()
        yield next(entry["address"] for entry in logs if entry["event"] == "listening")
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
