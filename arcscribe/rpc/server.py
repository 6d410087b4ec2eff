"""A stage's process: one gRPC server with health and reflection, which warms up, serves and drains."""

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import grpc
import structlog
from grpc_health.v1 import health, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from arcscribe.errors import StageUnavailable
from arcscribe.rpc.access import OPEN, Access
from arcscribe.rpc.bind import bind
from arcscribe.rpc.channel import MESSAGE_OPTIONS
from arcscribe.rpc.health import NOT_SERVING, SERVING, Health

log = structlog.get_logger()

BROKEN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Service:
    """One gRPC service: its full name, how it is added to a server, how it gets ready, and how it ends."""

    name: str
    add_to: Callable[[grpc.aio.Server], None]
    warm_up: Callable[[], Awaitable[None]]
    close: Callable[[], Awaitable[None]]
    broken: Callable[[], bool] = lambda: False
    """Whether it can do no more work until the process is started again; asked once a second."""


async def serve(
    service: Service,
    address: str,
    *,
    grace_seconds: float,
    exit_with_parent: bool = False,
    access: Access = OPEN,
) -> None:
    """Listens, warms up, says SERVING, and returns after a SIGTERM or SIGINT when the calls in work are done.

    With `exit_with_parent` the end of the standard input counts as a SIGTERM: it comes when the parent dies.

    Raises:
        AddressInUse: somebody listens there, or the address cannot be had.
        InvalidConfig: the certificate's files or the tokens cannot be used.
        StageUnavailable: the service broke down.
    """
    stop = _stop_event(exit_with_parent)
    certificate = access.certificate()
    server = grpc.aio.server(interceptors=access.interceptors(), options=_server_options())
    status = Health()
    await status.say(service.name, NOT_SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(status, server)
    service.add_to(server)
    names = (service.name, health.SERVICE_NAME, reflection.SERVICE_NAME)
    reflection.enable_server_reflection(names, server)
    bound = bind(server, address, certificate)
    access.warn(bound)
    await server.start()
    log.info("listening", address=bound)
    probes = access.tls.health_listen if access.tls else ""
    probed = await _probed(status, probes) if probes else None
    grace = 0.0  # calls that wait for a warm-up that never ends would use up any other
    try:
        if await _warm_up(service, stop):
            grace = grace_seconds
            await status.say(service.name, SERVING)
            log.info("serving", service=service.name)
            await _stopped_or_broken(service, stop)
            log.info("draining")
    finally:
        await status.drain()
        await server.stop(grace)
        if probed:
            await probed.stop(None)
        await service.close()
        log.info("stopped")
    if service.broken():
        raise StageUnavailable("it has broken down, as its log tells; start it again")


async def _probed(status: Health, address: str) -> grpc.aio.Server:
    """A server for probes that speak no TLS: it answers health checks, and has no other service."""
    server = grpc.aio.server(options=_server_options())
    health_pb2_grpc.add_HealthServicer_to_server(status, server)
    log.info("health", address=bind(server, address))
    await server.start()
    return server


async def _stopped_or_broken(service: Service, stop: asyncio.Event) -> None:
    while not (stop.is_set() or service.broken()):
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), BROKEN_SECONDS)


async def _warm_up(service: Service, stop: asyncio.Event) -> bool:
    """Whether the service got ready before it was told to stop."""
    warm_up = asyncio.ensure_future(service.warm_up())
    stopped = asyncio.ensure_future(stop.wait())
    await asyncio.wait({warm_up, stopped}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if not warm_up.done():
        warm_up.cancel()
        return False
    warm_up.result()
    return True


def _server_options() -> Sequence[tuple[str, int]]:
    return (
        *MESSAGE_OPTIONS,
        # A second process would share the port instead of being refused it.
        ("grpc.so_reuseport", 0),
        # Calls are silent while a model works; by default a server hangs up on who asks, meanwhile, more than
        # once in five minutes whether it lives. `arcscribe.rpc.channel` asks every 30 seconds.
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    )


def _stop_event(exit_with_parent: bool) -> asyncio.Event:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if exit_with_parent:
        threading.Thread(target=_watch_parent, args=(loop, stop), daemon=True).start()
    return stop


def _watch_parent(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    # Not sys.stdin: its lock, held by this thread, would abort the interpreter's own end.
    with suppress(OSError):
        while os.read(0, 1):
            pass
    try:
        loop.call_soon_threadsafe(stop.set)
    except RuntimeError:
        return  # the loop has ended by itself
