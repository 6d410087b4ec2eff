"""The parse API round a pipeline that is a fake, called through gRPC."""

from __future__ import annotations  # the types of stubs are known to type checkers only

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import grpc
import pytest

from arcscribe.convert.events import event_from_message
from arcscribe.document import AssembledMarkdown, ParsedPage
from arcscribe.errors import ArcscribeError, InvalidDocument, InvalidOption, QueueFull, TooLarge
from arcscribe.events import (
    DocumentDone,
    DocumentOpened,
    PageDone,
    ParseEvent,
    ParseOptions,
    Picture,
    Progress,
)
from arcscribe.rpc.channel import open_channel
from arcscribe.rpc.logs import REQUEST_ID_KEY
from arcscribe.rpc.status import from_rpc_error
from arcscribe.types import RecognizeOptions
from arcscribe.v1 import parse_pb2, parse_pb2_grpc, vlm_pb2
from orchestrator.admission import Admission
from orchestrator.servicer import ParserServicer
from tests.servers import serving
from tests.waiting import soon, soon_answered

if TYPE_CHECKING:
    from arcscribe.v1.parse_pb2_grpc import DocumentParserAsyncStub as Stub

Request = parse_pb2.ParseStreamRequest
START = Request(start=parse_pb2.ParseStart(name="it.pdf"))

EVENTS: tuple[ParseEvent, ...] = (
    DocumentOpened("application/pdf", 1, 1, "r-17"),
    PageDone(ParsedPage(1, 10, 20, 0, ()), (Picture("a.png", b"png"),)),
    Progress(1, 1, 0),
    DocumentDone(AssembledMarkdown("# Title\n", (), ()), 3.0),
)


class FakePipeline:
    """Says `EVENTS`, once it may."""

    def __init__(self) -> None:
        self.source = SimpleNamespace(limits=SimpleNamespace(max_document_mib=1))
        self.may_go = asyncio.Event()
        self.may_go.set()
        self.calls: list[tuple[bytes, str, ParseOptions, str]] = []
        self.in_work = 0
        self.error: ArcscribeError | None = None

    async def parse(
        self, data: bytes, name: str, options: ParseOptions, request_id: str
    ) -> AsyncGenerator[ParseEvent, None]:
        self.calls.append((data, name, options, request_id))
        self.in_work += 1
        try:
            if self.error:
                raise self.error
            for event in EVENTS:
                yield event
                await self.may_go.wait()
        finally:
            self.in_work -= 1


def run(
    folder: Path,
    work: Callable[[Stub, FakePipeline], Awaitable[None]],
    max_documents: int = 2,
    max_bytes: int = 10**9,
) -> FakePipeline:
    async def with_stub() -> FakePipeline:
        pipeline = FakePipeline()
        servicer = ParserServicer(cast(Any, pipeline), Admission(max_documents, max_bytes))

        def add(server: grpc.aio.Server) -> None:
            parse_pb2_grpc.add_DocumentParserServicer_to_server(servicer, server)

        async with serving(folder, add) as address, open_channel(address) as channel:
            await asyncio.wait_for(work(parse_pb2_grpc.DocumentParserStub(channel), pipeline), 20)
        return pipeline

    return asyncio.run(with_stub())


def chunks(*data: bytes) -> Iterator[Request]:
    yield START
    for chunk in data:
        yield Request(chunk=chunk)


async def read_all(stub: Stub, requests: Iterator[Request], **call: Any) -> list[ParseEvent]:
    return [event_from_message(event) async for event in stub.ParseStream(requests, timeout=10, **call)]


async def error_of(awaitable: Awaitable[object]) -> ArcscribeError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await awaitable
    return from_rpc_error(caught.value)


async def is_full(stub: Stub) -> bool:
    """Whether one more document is refused; if it is not, it is parsed."""
    try:
        await read_all(stub, chunks(b"x"))
    except grpc.aio.AioRpcError as error:
        return type(from_rpc_error(error)) is QueueFull
    return False


async def has_room(stub: Stub) -> bool:
    return not await is_full(stub)


def test_a_document_in_chunks_becomes_events(tmp_path: Path) -> None:
    async def work(stub: Stub, _pipeline: FakePipeline) -> None:
        got = await read_all(stub, chunks(b"%P", b"", b"DF"), metadata=((REQUEST_ID_KEY, "r-17"),))
        assert got == list(EVENTS)

    pipeline = run(tmp_path, work)
    assert pipeline.calls == [(b"%PDF", "it.pdf", ParseOptions(), "r-17")]


def test_a_document_in_one_message_becomes_all_that_came_of_it(tmp_path: Path) -> None:
    async def work(stub: Stub, _pipeline: FakePipeline) -> None:
        recognize = vlm_pb2.RecognizeOptions(
            max_new_tokens=7, partial_text=True
        )  # of which no one would hear
        options = parse_pb2.ParseOptions(pages="1-3", dpi=96, recognize=recognize)
        answer = await stub.Parse(parse_pb2.ParseRequest(document=b"%PDF", options=options), timeout=10)
        assert [page.number for page in answer.pages] == [1]
        assert [(picture.name, picture.data) for picture in answer.pictures] == [("a.png", b"png")]
        assert answer.done.markdown == "# Title\n"

    ((data, name, options, _),) = run(tmp_path, work).calls
    assert (data, name) == (b"%PDF", "document")
    assert (options.pages, options.dpi) == ("1-3", 96)
    assert options.recognize == RecognizeOptions(max_new_tokens=7)


@pytest.mark.parametrize("requests", [[], [Request(chunk=b"%PDF")], [Request()], [START, START]])
def test_a_stream_that_is_not_start_and_chunks_is_refused(
    tmp_path: Path, requests: Sequence[Request]
) -> None:
    async def work(stub: Stub, _pipeline: FakePipeline) -> None:
        assert type(await error_of(read_all(stub, iter(requests)))) is InvalidOption

    assert run(tmp_path, work).calls == []


@pytest.mark.parametrize("max_documents", [0, 1])
def test_a_refusal_reaches_a_caller_that_is_still_sending(tmp_path: Path, max_documents: int) -> None:
    async def work(stub: Stub, _pipeline: FakePipeline) -> None:
        error = await error_of(read_all(stub, chunks(*[bytes(256 * 1024)] * 400)))
        if max_documents == 0:
            assert type(error) is QueueFull
        else:
            assert type(error) is TooLarge
            assert error.details == {"what": "bytes", "limit": str(1024 * 1024)}

    assert run(tmp_path, work, max_documents).calls == []


def test_an_error_of_the_pipeline_arrives_as_itself(tmp_path: Path) -> None:
    async def work(stub: Stub, pipeline: FakePipeline) -> None:
        pipeline.error = InvalidDocument("it.pdf: damaged")
        for call in (read_all(stub, chunks(b"x")), stub.Parse(parse_pb2.ParseRequest(), timeout=10)):
            error = await error_of(call)
            assert (type(error), error.message) == (InvalidDocument, "it.pdf: damaged")

    run(tmp_path, work)


def test_one_document_more_than_may_be_in_work_is_told_to_come_back(tmp_path: Path) -> None:
    async def work(stub: Stub, pipeline: FakePipeline) -> None:
        pipeline.may_go.clear()
        taken = [asyncio.create_task(read_all(stub, chunks(b"x"))) for _ in range(2)]
        await soon(lambda: pipeline.in_work == 2)
        for call in (read_all(stub, chunks(b"x")), stub.Parse(parse_pb2.ParseRequest(), timeout=10)):
            error = await error_of(call)
            assert (type(error), error.retryable) == (QueueFull, True)
        pipeline.may_go.set()
        assert [len(events) for events in await asyncio.gather(*taken)] == [4, 4]
        assert len(await read_all(stub, chunks(b"x"))) == 4

    run(tmp_path, work)


def test_documents_that_are_still_coming_have_places_too(tmp_path: Path) -> None:
    async def work(stub: Stub, pipeline: FakePipeline) -> None:
        uploads = [cast(Any, stub).ParseStream(timeout=10) for _ in range(2)]
        for upload in uploads:
            await upload.write(START)
            await upload.write(Request(chunk=b"x"))
        await soon_answered(lambda: is_full(stub))
        for upload in uploads:
            upload.cancel()
        await soon_answered(lambda: has_room(stub))
        assert pipeline.in_work == 0

    run(tmp_path, work)


def test_documents_that_are_too_many_bytes_together_are_told_to_come_back(tmp_path: Path) -> None:
    async def work(stub: Stub, pipeline: FakePipeline) -> None:
        pipeline.may_go.clear()
        first = asyncio.create_task(read_all(stub, chunks(bytes(600))))
        await soon(lambda: pipeline.in_work == 1)
        unary = parse_pb2.ParseRequest(document=bytes(401))
        for call in (read_all(stub, chunks(bytes(300), bytes(101))), stub.Parse(unary, timeout=10)):
            error = await error_of(call)
            assert (type(error), int(error.details["retry_after_ms"])) == (QueueFull, 1000)
        second = asyncio.create_task(read_all(stub, chunks(bytes(400))))
        await soon(lambda: pipeline.in_work == 2)
        pipeline.may_go.set()
        assert [len(events) for events in await asyncio.gather(first, second)] == [4, 4]
        assert len(await read_all(stub, chunks(bytes(1000)))) == 4

    run(tmp_path, work, max_documents=9, max_bytes=1000)


@pytest.mark.parametrize("shape", ["unary", "stream"])
def test_a_caller_that_leaves_ends_the_document_and_gives_its_place_back(tmp_path: Path, shape: str) -> None:
    async def work(stub: Stub, pipeline: FakePipeline) -> None:
        pipeline.may_go.clear()
        call = (
            stub.Parse(parse_pb2.ParseRequest(), timeout=10)
            if shape == "unary"
            else stub.ParseStream(chunks(b"x"), timeout=10)
        )
        if shape == "unary":
            asyncio.ensure_future(cast(Any, call)).add_done_callback(lambda _done: None)
        await soon(lambda: pipeline.in_work == 1)
        call.cancel()
        await soon(lambda: pipeline.in_work == 0, 2)
        pipeline.may_go.set()
        assert len(await read_all(stub, chunks(b"x"))) == 4

    run(tmp_path, work, max_documents=1)
