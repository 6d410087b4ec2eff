"""The client of the parse API: `from arcscribe import Client`."""

import asyncio
import concurrent.futures
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from contextlib import suppress
from typing import Any, TypedDict, TypeVar, Unpack

from arcscribe.async_client import DEFAULT_TIMEOUT_SECONDS, AccessOptions, AsyncClient, Parsed
from arcscribe.errors import ArcscribeError, StageUnavailable
from arcscribe.events import ParseEvent, ParseOptions
from arcscribe.upload import Source

ResultT = TypeVar("ResultT")


class CallOptions(TypedDict, total=False):
    """What goes with one call beside its options for parsing; `AsyncClient.parse` says what each means."""

    name: str
    timeout_seconds: float | None
    request_id: str


class Client:
    """`AsyncClient` for programs without an event loop: the same calls, blocking. Use it in a `with`.

    It may be used from several threads at once. When one of them closes it, calls in work in the others raise
    `StageUnavailable`.
    """

    def __init__(
        self,
        address: str,
        *,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        wait_when_full: bool = True,
        **access: Unpack[AccessOptions],
    ) -> None:
        """Arguments and errors as in `AsyncClient`."""
        self._loop = asyncio.new_event_loop()
        self._closed = False
        self._thread = threading.Thread(target=self._loop.run_forever, name="arcscribe-client", daemon=True)
        self._thread.start()
        try:
            self._client = self._wait_for(lambda: _opened(address, timeout_seconds, wait_when_full, access))
        except ArcscribeError:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            raise

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the calls in work and the connection."""
        if self._closed:
            return
        self._closed = True
        asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        try:
            await self._client.close()
            # A second round for the tasks that were waiting for what has been closed.
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
        finally:
            self._loop.stop()

    def parse(
        self, source: Source, options: ParseOptions | None = None, **call: Unpack[CallOptions]
    ) -> Parsed:
        """A document as Markdown, regions and pictures; arguments and errors as in `AsyncClient.parse`."""
        return self._wait_for(lambda: self._client.parse(source, options, **call))

    def stream(
        self, source: Source, options: ParseOptions | None = None, **call: Unpack[CallOptions]
    ) -> Iterator[ParseEvent]:
        """The events of a document as they come; leaving the loop early cancels the call."""
        events = self._client.stream(source, options, **call)
        try:
            while (event := self._wait_for(lambda: _next(events))) is not None:
                yield event
        finally:
            if not self._closed:
                self._wait_for(lambda: _close(events))

    def _wait_for(self, start: Callable[[], Coroutine[Any, Any, ResultT]]) -> ResultT:
        if self._closed:
            raise StageUnavailable("the client is closed")
        future = asyncio.run_coroutine_threadsafe(start(), self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise StageUnavailable("the client was closed while a call was in work") from None
        except BaseException:
            future.cancel()
            raise


async def _opened(
    address: str, timeout_seconds: float, wait_when_full: bool, access: AccessOptions
) -> AsyncClient:
    return AsyncClient(address, timeout_seconds=timeout_seconds, wait_when_full=wait_when_full, **access)


async def _next(events: AsyncIterator[ParseEvent]) -> ParseEvent | None:
    return await anext(events, None)


async def _close(events: AsyncGenerator[ParseEvent, None]) -> None:
    with suppress(RuntimeError):  # still ending a step that Ctrl-C cancelled, and itself with that
        await events.aclose()
