"""Messages and types round one call of the parse API."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from arcscribe.convert.events import event_to_message, parse_options_from_message
from arcscribe.errors import ArcscribeError, InvalidOption, StageTimeout, TooLarge
from arcscribe.events import DocumentDone, PageDone, ParseEvent, ParseOptions
from arcscribe.rpc.interceptor import read_away
from arcscribe.rpc.logs import current_request_id
from arcscribe.rpc.traces import current_span
from arcscribe.v1 import parse_pb2, parse_pb2_grpc
from orchestrator.admission import Admission, Place
from orchestrator.pages.limits import MIB
from orchestrator.pipeline import Pipeline

SERVICE_NAME = parse_pb2.DESCRIPTOR.services_by_name["DocumentParser"].full_name

LINGER_SECONDS = 30.0
"""How long a caller whose document is refused may go on sending it."""

SILENCE_SECONDS = 60.0
"""How long nothing may come of a document that is not complete: it keeps a place from others."""

SLOW_SECONDS, LEAST_PACE = 60.0, 1024
"""How long a document may come at any pace, and at how many bytes a second on the whole after that."""


class ParserServicer(parse_pb2_grpc.DocumentParserServicer):
    """Runs the pipeline for each call that is admitted."""

    def __init__(self, pipeline: Pipeline, admission: Admission) -> None:
        self._pipeline = pipeline
        self._admission = admission

    async def Parse(  # noqa: N802  # the contract's name
        self, request: parse_pb2.ParseRequest, _context: Any
    ) -> parse_pb2.ParseResponse:
        options = parse_options_from_message(request.options)
        options = replace(options, recognize=replace(options.recognize, partial_text=False))  # no one sees it
        response = parse_pb2.ParseResponse()
        with self._admission.place() as place:
            place.hold(len(request.document))
            async with aclosing(self._events(request.document, request.name, options)) as events:
                async for event in events:
                    _add(response, event)
        return response

    async def ParseStream(  # noqa: N802  # the contract's name
        self, requests: AsyncIterator[parse_pb2.ParseStreamRequest], _context: Any
    ) -> AsyncIterator[parse_pb2.ParseEvent]:
        try:
            # Before the document comes: those that arrive take memory too.
            with self._admission.place() as place:
                timely = _timely(requests)
                start = await _start(timely)
                options = parse_options_from_message(start.options)
                data = await _received(timely, self._pipeline.source.limits.max_document_mib, place)
                async with aclosing(self._events(data, start.name, options)) as events:
                    del data
                    async for event in events:
                        yield event_to_message(event)
        except StageTimeout:
            raise
        except ArcscribeError:
            await read_away(requests, LINGER_SECONDS)
            raise

    def _events(self, data: bytes, name: str, options: ParseOptions) -> AsyncGenerator[ParseEvent, None]:
        current_span().annotate(bytes=len(data), dpi=options.dpi)
        return self._pipeline.parse(data, name or "document", options, current_request_id())


async def _timely(
    requests: AsyncIterator[parse_pb2.ParseStreamRequest],
) -> AsyncIterator[parse_pb2.ParseStreamRequest]:
    slow_until = time.monotonic() + SLOW_SECONDS
    while True:
        try:
            async with asyncio.timeout(SILENCE_SECONDS):
                request = await anext(requests, None)
        except TimeoutError:
            raise StageTimeout(f"nothing of the document came for {SILENCE_SECONDS:g} seconds") from None
        if request is None:
            return
        slow_until += len(request.chunk) / LEAST_PACE
        if time.monotonic() > slow_until:
            raise StageTimeout(f"the document came at less than {LEAST_PACE} bytes a second")
        yield request


async def _start(requests: AsyncIterator[parse_pb2.ParseStreamRequest]) -> parse_pb2.ParseStart:
    first = await anext(requests, None)
    if first is None or first.WhichOneof("part") != "start":
        raise InvalidOption("the first message of a stream must be `start`", field="start")
    return first.start


async def _received(
    requests: AsyncIterator[parse_pb2.ParseStreamRequest], max_mib: int, place: Place
) -> bytes:
    data = bytearray()
    async for request in requests:
        if request.WhichOneof("part") != "chunk":
            raise InvalidOption("after `start` come chunks only", field="chunk")
        if len(data) + len(request.chunk) > max_mib * MIB:
            raise TooLarge(
                f"the document is over the limit of {max_mib} MiB", what="bytes", limit=str(max_mib * MIB)
            )
        place.hold(len(request.chunk))
        data += request.chunk
    return bytes(data)


def _add(response: parse_pb2.ParseResponse, event: ParseEvent) -> None:
    if isinstance(event, PageDone):
        message = event_to_message(event).page
        response.pages.append(message.page)
        response.pictures.extend(message.pictures)
    elif isinstance(event, DocumentDone):
        response.done.CopyFrom(event_to_message(event).done)
