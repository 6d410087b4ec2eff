"""One process of a stage: what its health says, and what it has in work."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from typing import Any

import grpc
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arcscribe.rpc.credentials import PLAIN, Credentials
from arcscribe.rpc.status import CALL_ERRORS, status_of
from orchestrator.stages.gate import Gate

log = structlog.get_logger()

PROBE_SECONDS = 1.0
"""Between two health checks, which tell whether a process still answers; what it says is watched."""

RECONNECT_SECONDS = 0.1
"""Before a process that is gone is looked for again; gRPC's own pauses come on top."""


_PROCESS = health_pb2.HealthCheckRequest()


class State(Enum):
    """Whether new work may go there."""

    READY = auto()
    NOT_SERVING = auto()
    """It loads or drains: what it has in work goes on."""
    SILENT = auto()
    """It is connected, and does not answer: stopped, or stuck."""
    DOUBTED = auto()
    """A call broke off: it is being asked how it is."""
    GONE = auto()


class BrokeOff(Exception):
    """A process could be reached, but did not answer to the end."""


Changed = Callable[["StageMember", State], None]
"""Is told of a process whose state has changed, and of the state before."""


class StageMember:
    """A channel to one process of a stage."""

    def __init__(
        self,
        address: str,
        channel: grpc.aio.Channel,
        silent_seconds: float,
        changed: Changed,
        credentials: Credentials = PLAIN,
    ) -> None:
        """Looks for the process at once, and calls `changed` whenever its state does."""
        self.address, self.channel, self.credentials = address, channel, credentials
        self.gate = Gate()
        self.load = 0
        """Pages or crops that it has in work."""
        self.state = State.GONE
        self._said = State.GONE
        self._silent_seconds = silent_seconds
        self._changed = changed
        self._health = health_pb2_grpc.HealthStub(channel)
        self._calls: set[Any] = set()
        self._cut: set[Any] = set()
        self._doubted = asyncio.Event()
        self._tasks = [asyncio.create_task(self._watch()), asyncio.create_task(self._probe())]

    @property
    def is_ready(self) -> bool:
        """Whether new work may go there."""
        return self.state is State.READY

    @contextmanager
    def in_work(self, call: Any) -> Iterator[None]:
        """For as long as a call is read, which ends with it.

        Raises:
            BrokeOff: the call was cut off, as `cut_off` does it.
        """
        self._calls.add(call)
        try:
            yield
        except asyncio.CancelledError:
            if call not in self._cut or _is_cancelled():
                raise
            raise BrokeOff("it does not answer") from None
        finally:
            self._calls.discard(call)
            self._cut.discard(call)
            call.cancel()

    def cut_off(self) -> None:
        """Ends the calls in work, whose callers may go elsewhere."""
        for call in tuple(self._calls):
            self._cut.add(call)
            call.cancel()

    def doubt(self) -> None:
        """Asks the process how it is, before it gets more work: a call broke off."""
        if self.is_ready:
            self._be(State.DOUBTED)
            self._doubted.set()

    async def close(self) -> None:
        """Ends the calls in work and the connection."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.channel.close(None)

    async def _watch(self) -> None:
        """Follows what the process says of itself."""
        while True:
            try:
                async for response in self._health.Watch(_PROCESS, wait_for_ready=True):
                    serving = response.status == health_pb2.HealthCheckResponse.SERVING
                    self._said = State.READY if serving else State.NOT_SERVING
                    self._be(self._said)
            except CALL_ERRORS as error:
                if status_of(error) is grpc.StatusCode.UNIMPLEMENTED:
                    log.warning("stage has no health service, and gets no work", address=self.address)
            self._said = State.GONE
            self._be(State.GONE)
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _probe(self) -> None:
        """Asks whether the process still answers: one that is stopped keeps its connection."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._doubted.wait(), PROBE_SECONDS)
            self._doubted.clear()
            if self._said is State.GONE:
                continue
            try:
                await self._health.Check(_PROCESS, timeout=self._silent_seconds)
            except CALL_ERRORS as error:
                if status_of(error) is grpc.StatusCode.DEADLINE_EXCEEDED:
                    self._be(State.SILENT)
            else:
                if self.state in {State.SILENT, State.DOUBTED}:
                    self._be(self._said)

    def _be(self, state: State) -> None:
        if state is self.state:
            return
        log.info("stage is", address=self.address, state=state.name, was=self.state.name)
        before, self.state = self.state, state
        self._changed(self, before)


def _is_cancelled() -> bool:
    """Whether it is the task in work that is to end, and not only a call of it."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
