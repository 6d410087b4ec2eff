"""`arcscribe health`: what a process says of itself, for scripts and for who starts and watches it."""

import asyncio
import time
from pathlib import Path
from typing import Annotated

import grpc
import typer
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arcscribe.errors import ArcscribeError, StageUnavailable
from arcscribe.rpc.channel import open_channel
from arcscribe.rpc.credentials import PLAIN, Credentials, read_credentials
from arcscribe.tools.access import tls_of
from arcscribe.tools.errors import one_line_errors
from arcscribe.tools.options import Certificate, CertificateKey

ASK_AGAIN_SECONDS = 0.5

SERVING = health_pb2.HealthCheckResponse.SERVING


@one_line_errors()
def health(
    address: Annotated[str, typer.Argument(help="host:port or unix:PATH of any of the three processes.")],
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that the answer may take.")] = 5.0,
    wait: Annotated[float, typer.Option(min=0.0, help="Ask again for so many seconds.")] = 0.0,
    tls_ca: Annotated[
        Path | None, typer.Option(help="TLS, and the CA of the process's certificate, in PEM.")
    ] = None,
    tls_cert: Certificate = None,
    tls_key: CertificateKey = None,
) -> None:
    """Ask a process for its health: SERVING and exit status 0, or one line and status 1."""
    credentials = read_credentials(tls_of(tls_ca, tls_cert, tls_key))
    asyncio.run(until_serving(address, timeout, wait, credentials))
    typer.echo("SERVING")


async def until_serving(
    address: str, timeout_seconds: float, wait_seconds: float = 0.0, credentials: Credentials = PLAIN
) -> None:
    """Returns when the process says SERVING, and asks for that until the time is up, at least once.

    Raises:
        StageUnavailable: it says something else, or nothing; the last answer counts.
    """
    end = time.monotonic() + wait_seconds
    while True:
        try:
            return await ask(address, timeout_seconds, credentials)
        except StageUnavailable:
            if time.monotonic() + ASK_AGAIN_SECONDS > end:
                raise
        await asyncio.sleep(ASK_AGAIN_SECONDS)


async def ask(address: str, timeout_seconds: float, credentials: Credentials = PLAIN) -> None:
    """Returns if the process says SERVING.

    Raises:
        StageUnavailable: it says something else, or nothing.
    """
    async with open_channel(address, credentials) as channel:
        check = health_pb2_grpc.HealthStub(channel).Check
        try:
            response = await check(health_pb2.HealthCheckRequest(), timeout=timeout_seconds)
        except grpc.aio.AioRpcError as error:
            raise _unanswered(address, error) from None
    if response.status != SERVING:
        status = health_pb2.HealthCheckResponse.ServingStatus.Name(response.status)
        raise StageUnavailable(f"{address} says {status}: it loads its models, or is about to end")


def _unanswered(address: str, error: grpc.aio.AioRpcError) -> ArcscribeError:
    if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
        return StageUnavailable(f"{address} does not answer in time")
    return StageUnavailable(f"{address} does not answer: {error.code().name}: {error.details()}")
