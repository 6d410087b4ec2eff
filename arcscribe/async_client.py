"""The client of the parse API for programs that run an event loop."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

import grpc

from arcscribe.convert.events import event_from_message, parse_options_to_message
from arcscribe.document import AssembledMarkdown, Document
from arcscribe.document_json import to_json
from arcscribe.errors import ArcscribeError, InferenceFailed, StageTimeout
from arcscribe.events import (
    DocumentDone,
    DocumentOpened,
    PageDone,
    ParseEvent,
    ParseOptions,
    Picture,
    RegionPartial,
)
from arcscribe.full_queue import can_be_read_again, until_a_place_is_free
from arcscribe.rpc.channel import open_channel
from arcscribe.rpc.credentials import Credentials, Tls, checked_token, read_credentials, refuse_to_tell
from arcscribe.rpc.logs import REQUEST_ID_KEY
from arcscribe.rpc.status import CALL_ERRORS, from_rpc_error
from arcscribe.rpc.tokens import bearer
from arcscribe.upload import Source, Upload, as_unicode, open_source
from arcscribe.v1 import parse_pb2, parse_pb2_grpc

DEFAULT_TIMEOUT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Parsed:
    """All that came of a document. `overlays` holds (page number, JPEG file) where they were asked for."""

    document: Document
    assembled: AssembledMarkdown
    pictures: tuple[Picture, ...]
    overlays: tuple[tuple[int, bytes], ...]
    milliseconds: float

    @property
    def markdown(self) -> str:
        return self.assembled.text

    def to_json(self) -> bytes:
        """Pages, regions, texts, outline and counts as UTF-8 JSON."""
        return to_json(self.document, self.assembled)


class AccessOptions(TypedDict, total=False):
    """What a client shows to the service: by default nothing, in plain text.

    `tls` names files, which are read when the client is made; a Unix socket has no TLS. `token_without_tls`
    lets the token go over a network in plain text.
    """

    tls: Tls | None
    token: str
    token_without_tls: bool


class AsyncClient:
    """Parses documents at one orchestrator, `host:port` or `unix:PATH`; use it in an `async with`."""

    def __init__(
        self,
        address: str,
        *,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        wait_when_full: bool = True,
        **access: Unpack[AccessOptions],
    ) -> None:
        """Connects at the first call.

        Args:
            timeout_seconds: for a whole document, unless its call says otherwise.
            wait_when_full: a document for which the service has no place is sent again when it says, for as
                long as the document's time lasts; else, and then, the call ends with `QueueFull`.

        Raises:
            InvalidConfig: a file of `tls` cannot be used, or the token cannot be one.
            InvalidOption: the token would go over a network in plain text.
        """
        credentials = _credentials(address, **access)
        self._bearer = bearer(credentials.token)
        self._channel = open_channel(address, credentials)
        self._stub = parse_pb2_grpc.DocumentParserStub(self._channel)
        self._timeout = timeout_seconds
        self._wait_when_full = wait_when_full

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._channel.close(None)

    async def parse(
        self,
        source: Source,
        options: ParseOptions | None = None,
        *,
        name: str = "",
        timeout_seconds: float | None = None,
        request_id: str = "",
    ) -> Parsed:
        """A document as Markdown, regions and pictures.

        Args:
            source: a file's path, or a document's bytes.
            options: which pages, and how they become Markdown.
            name: a name for messages and logs; by default the file's.
            timeout_seconds: for the whole document; by default the client's.
            request_id: goes with the call into the logs of all stages.

        Raises:
            ArcscribeError: of the kind that `arcscribe.errors` lists; `retryable` says whether to call again.
        """
        events = self.stream(
            source, options, name=name, timeout_seconds=timeout_seconds, request_id=request_id
        )
        return collect([event async for event in events if is_kept(event)], name or _name(source))

    async def stream(
        self,
        source: Source,
        options: ParseOptions | None = None,
        *,
        name: str = "",
        timeout_seconds: float | None = None,
        request_id: str = "",
    ) -> AsyncGenerator[ParseEvent, None]:
        """The events of a document as they come; see `parse` for arguments and errors."""
        seconds = self._timeout if timeout_seconds is None else timeout_seconds

        def call(seconds: float) -> AsyncGenerator[ParseEvent, None]:
            return self._call(source, options or ParseOptions(), name or _name(source), seconds, request_id)

        waits = self._wait_when_full and can_be_read_again(source)
        async with aclosing(until_a_place_is_free(call, seconds) if waits else call(seconds)) as events:
            async for event in events:
                yield event

    async def _call(
        self, source: Source, options: ParseOptions, name: str, seconds: float, request_id: str
    ) -> AsyncGenerator[ParseEvent, None]:
        start = parse_pb2.ParseStart(name=as_unicode(name), options=parse_options_to_message(options))
        with closing(Upload(start, await open_source(source))) as upload:
            end = time.monotonic() + seconds
            call = self._stub.ParseStream(
                upload.requests(),
                timeout=seconds,
                metadata=(*self._bearer, *(((REQUEST_ID_KEY, request_id),) if request_id else ())),
            )
            try:
                async for message in call:
                    yield event_from_message(message)
            except CALL_ERRORS as error:
                raise _error_of(error, end) from None
            except asyncio.CancelledError:
                if upload.failure is None:
                    raise
                raise upload.failure from None
            finally:
                call.cancel()


def _error_of(error: grpc.aio.AioRpcError | grpc.aio.InternalError, end: float) -> ArcscribeError:
    """What a failed call stands for; gRPC has no status for a deadline that ends while a message is sent."""
    if isinstance(error, grpc.aio.InternalError) and time.monotonic() >= end:
        return StageTimeout("the deadline passed")
    return from_rpc_error(error)


def is_kept(event: ParseEvent) -> bool:
    """Whether an event tells of what stays: of partial texts there are many, and each is soon out of date."""
    return not isinstance(event, RegionPartial)


def collect(events: Sequence[ParseEvent], name: str) -> Parsed:
    """The whole of a document from its events.

    Raises:
        InferenceFailed: the events do not end with `DocumentDone`.
    """
    done = events[-1] if events else None
    if not isinstance(done, DocumentDone):
        raise InferenceFailed("the service ended the stream without a result")
    pages = [event for event in events if isinstance(event, PageDone)]
    opened = [event for event in events if isinstance(event, DocumentOpened)]
    return Parsed(
        document=Document(
            as_unicode(name), opened[0].page_count if opened else 0, tuple(event.page for event in pages)
        ),
        assembled=done.markdown,
        pictures=tuple(picture for event in pages for picture in event.pictures),
        overlays=tuple((event.page.number, event.overlay) for event in pages if event.overlay),
        milliseconds=done.milliseconds,
    )


def _credentials(
    address: str, *, tls: Tls | None = None, token: str = "", token_without_tls: bool = False
) -> Credentials:
    credentials = read_credentials(tls, checked_token(token, "`token`") if token else "")
    if not token_without_tls:
        refuse_to_tell(address, credentials)
    return credentials


def _name(source: Source) -> str:
    return "document" if isinstance(source, bytes) else Path(source).name
