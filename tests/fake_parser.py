"""A parse service without a pipeline, for clients: the document's own words say what becomes of it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc

from arcscribe.convert.events import event_to_message
from arcscribe.document import AssembledMarkdown, LineCounts, ParsedPage
from arcscribe.errors import InvalidDocument, PasswordRequired, QueueFull
from arcscribe.events import DocumentDone, DocumentOpened, PageDone, Picture, Progress, RegionPartial
from arcscribe.rpc.logs import current_request_id
from arcscribe.v1 import parse_pb2, parse_pb2_grpc

ERRORS = {
    b"damaged": InvalidDocument("damaged.pdf: damaged"),
    b"locked": PasswordRequired("locked.pdf needs a password"),
    b"busy": QueueFull("8 documents are in work", retry_after_ms="250"),
}

PARTIALS = (
    RegionPartial(1, 2, 3, "half a"),
    RegionPartial(1, 2, 3, "half a\x1b[31m text"),
    RegionPartial(1, 3, 4, "甲方：" * 100),
)
"""What it tells before the page is done, if it is asked to."""


class FakeParser(parse_pb2_grpc.DocumentParserServicer):
    """Gives a document back as its Markdown, in one page; `ERRORS` and `endless` are special."""

    def __init__(self) -> None:
        self.in_work = 0
        self.most_in_work = 0
        self.starts: list[parse_pb2.ParseStart] = []
        self.request_ids: list[str] = []
        self.longest_chunk = 0
        self.seconds = 0.0
        """How long it takes for the page."""
        self.refusals = 0
        """How many of the next calls find no place."""

    async def Parse(  # noqa: N802
        self, request: parse_pb2.ParseRequest, _context: Any
    ) -> parse_pb2.ParseResponse:
        raise NotImplementedError("clients stream")

    async def ParseStream(  # noqa: N802
        self, requests: AsyncIterator[parse_pb2.ParseStreamRequest], _context: Any
    ) -> AsyncIterator[parse_pb2.ParseEvent]:
        self.in_work += 1
        self.most_in_work = max(self.most_in_work, self.in_work)
        self.request_ids.append(current_request_id())
        try:
            data = b"".join([self._received(request) async for request in requests])
            async for event in self._events(data):
                yield event
        finally:
            self.in_work -= 1

    def _received(self, request: parse_pb2.ParseStreamRequest) -> bytes:
        if request.HasField("start"):
            self.starts.append(request.start)
        self.longest_chunk = max(self.longest_chunk, len(request.chunk))
        return request.chunk

    async def _events(self, data: bytes) -> AsyncIterator[parse_pb2.ParseEvent]:
        if self.refusals:
            self.refusals -= 1
            raise QueueFull("no place", retry_after_ms="20")
        if data in ERRORS:
            raise ERRORS[data]
        if data == b"crash":
            raise RuntimeError("unforeseen")
        yield event_to_message(DocumentOpened("application/pdf", 7, 1, current_request_id()))
        if data == b"unfinished":
            return
        if self.starts[-1].options.recognize.partial_text:
            for partial in PARTIALS:
                yield event_to_message(partial)
        await asyncio.sleep(self.seconds)
        page = ParsedPage(1, 10, 20, 0, ())
        pictures = (Picture("page-0001-image-001.png", b"\x89PNG"),)
        yield event_to_message(PageDone(page, pictures, b"\xff\xd8"))
        while data == b"endless":
            yield event_to_message(Progress(1, 7, 0))
            await asyncio.sleep(0.01)
        text = data.decode("utf-8", "replace")
        yield event_to_message(DocumentDone(AssembledMarkdown(text, (), (LineCounts(),)), 5.0))


def add_to(parser: FakeParser, server: grpc.aio.Server) -> None:
    parse_pb2_grpc.add_DocumentParserServicer_to_server(parser, server)
