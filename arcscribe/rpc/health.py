"""The health service of every process."""

import asyncio
from typing import Any

from grpc_health.v1 import health_pb2
from grpc_health.v1.health import aio  # type: ignore[attr-defined]  # exported, but not in its __all__

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING

LAST_WORD_SECONDS = 0.5


class Health(aio.HealthServicer):  # type: ignore[misc]  # grpcio-health-checking has no types
    """grpcio's own, except that a drain ends the streams of watchers.

    They would never end by themselves, and use up the whole time that calls in work have to finish.
    """

    def __init__(self) -> None:
        super().__init__()
        self._draining = asyncio.Event()

    async def Watch(self, request: health_pb2.HealthCheckRequest, context: Any) -> None:  # noqa: N802
        watching = asyncio.ensure_future(super().Watch(request, context))
        draining = asyncio.ensure_future(self._draining.wait())
        try:
            await asyncio.wait({watching, draining}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({watching}, timeout=LAST_WORD_SECONDS)
        finally:
            watching.cancel()
            draining.cancel()

    async def say(self, service: str, status: int) -> None:
        """Tells the status of the whole process and of its service."""
        for name in ("", service):
            await self.set(name, status)

    async def drain(self) -> None:
        """Says NOT_SERVING for good, and takes leave of the watchers."""
        await self.enter_graceful_shutdown()
        self._draining.set()
