"""The client of the parse API: `from arcscribe import Client`."""

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from types import TracebackType
from typing import Any, TypeVar

from arcscribe.async_client import DEFAULT_TIMEOUT_SECONDS, AsyncClient, Parsed, Source
from arcscribe.events import ParseEvent, ParseOptions

ResultT = TypeVar("ResultT")


class Client:
    """`AsyncClient` for programs without an event loop: the same calls, blocking. Use it in a `with`.

    It may be used from several threads at once.
    """

    def __init__(self, address: str, *, timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="arcscribe-client", daemon=True)
        self._thread.start()
        self._client = self._wait_for(_opened(address, timeout_seconds))

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the calls in work and the connection."""
        if self._loop.is_closed():
            return
        self._wait_for(self._client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def parse(self, source: Source, options: ParseOptions | None = None, **call: Any) -> Parsed:
        """A document as Markdown, regions and pictures; arguments and errors as in `AsyncClient.parse`."""
        return self._wait_for(self._client.parse(source, options, **call))

    def stream(
        self, source: Source, options: ParseOptions | None = None, **call: Any
    ) -> Iterator[ParseEvent]:
        """The events of a document as they come; leaving the loop early cancels the call."""
        events = self._client.stream(source, options, **call)
        try:
            while (event := self._wait_for(_next(events))) is not None:
                yield event
        finally:
            self._wait_for(_close(events))

    def _wait_for(self, coroutine: Coroutine[Any, Any, ResultT]) -> ResultT:
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise


async def _opened(address: str, timeout_seconds: float) -> AsyncClient:
    return AsyncClient(address, timeout_seconds=timeout_seconds)


async def _next(events: AsyncIterator[ParseEvent]) -> ParseEvent | None:
    return await anext(events, None)


async def _close(events: AsyncIterator[ParseEvent]) -> None:
    close = getattr(events, "aclose", None)
    if close is not None:
        await close()
