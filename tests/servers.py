"""gRPC servers on the test's own event loop."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import grpc

from arcscribe.rpc.channel import MESSAGE_OPTIONS
from arcscribe.rpc.interceptor import CallInterceptor


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
