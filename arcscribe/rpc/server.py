"""A stage's process: one gRPC server with health and reflection, which warms up, serves and drains."""

import asyncio
import signal
import socket
import stat
import sys
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from grpc_reflection.v1alpha import reflection

from arcscribe.errors import AddressInUse
from arcscribe.rpc.channel import MESSAGE_OPTIONS
from arcscribe.rpc.interceptor import CallInterceptor

log = structlog.get_logger()

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


@dataclass(frozen=True, slots=True)
class Service:
    """One gRPC service: its full name, how it is added to a server, how it gets ready, and how it ends."""

    name: str
    add_to: Callable[[grpc.aio.Server], None]
    warm_up: Callable[[], Awaitable[None]]
    close: Callable[[], Awaitable[None]]


async def serve(
    service: Service, address: str, *, grace_seconds: float, exit_with_parent: bool = False
) -> None:
    """Listens, warms up, says SERVING, and returns after a SIGTERM or SIGINT when the calls in work are done.

    With `exit_with_parent` the end of the standard input counts as a SIGTERM: it comes when the parent dies.

    Raises:
        AddressInUse: somebody listens there, or the address cannot be had.
    """
    stop = _stop_event(exit_with_parent)
    server = grpc.aio.server(interceptors=[CallInterceptor()], options=_server_options())
    status = HealthServicer()
    await _set_health(status, service.name, NOT_SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(status, server)
    service.add_to(server)
    names = (service.name, health.SERVICE_NAME, reflection.SERVICE_NAME)
    reflection.enable_server_reflection(names, server)
    bound = bind(server, address)
    await server.start()
    log.info("listening", address=bound)
    try:
        await _until_stopped(service, status, stop)
    finally:
        await status.enter_graceful_shutdown()
        await server.stop(grace_seconds)
        await service.close()
        log.info("stopped")


async def _until_stopped(service: Service, status: HealthServicer, stop: asyncio.Event) -> None:
    warm_up = asyncio.ensure_future(service.warm_up())
    stopped = asyncio.ensure_future(stop.wait())
    await asyncio.wait({warm_up, stopped}, return_when=asyncio.FIRST_COMPLETED)
    if not warm_up.done():
        warm_up.cancel()
        return
    warm_up.result()
    await _set_health(status, service.name, SERVING)
    log.info("serving", service=service.name)
    await stopped
    log.info("draining")


async def _set_health(status: HealthServicer, name: str, value: int) -> None:
    for service in ("", name):
        await status.set(service, value)


def _server_options() -> Sequence[tuple[str, int]]:
    # Without so_reuseport=0 a second process would share the port instead of being refused it.
    return (*MESSAGE_OPTIONS, ("grpc.so_reuseport", 0))


def bind(server: grpc.aio.Server, address: str) -> str:
    """Listens on `host:port` or `unix:PATH`, and tells the address with the port that was taken.

    Raises:
        AddressInUse: somebody listens there, or the address cannot be had.
    """
    if address.startswith("unix:"):
        _refuse_live_socket(Path(address.removeprefix("unix:")))
    try:
        port = server.add_insecure_port(address)
    except RuntimeError as error:
        raise AddressInUse(
            f"cannot listen on {address}: in use, or not an address of this machine"
        ) from error
    if address.startswith("unix:"):
        Path(address.removeprefix("unix:")).chmod(stat.S_IRUSR | stat.S_IWUSR)
        return address
    return f"{address.rpartition(':')[0]}:{port}"


def _refuse_live_socket(path: Path) -> None:
    # gRPC removes a socket file that is in its way, even one at which another process listens.
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return
    raise AddressInUse(f"cannot listen on unix:{path}: another process listens there")


def _stop_event(exit_with_parent: bool) -> asyncio.Event:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if exit_with_parent:
        threading.Thread(target=_watch_parent, args=(loop, stop), daemon=True).start()
    return stop


def _watch_parent(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    while sys.stdin.buffer.read(1):
        pass
    try:
        loop.call_soon_threadsafe(stop.set)
    except RuntimeError:
        return  # the loop has ended by itself
