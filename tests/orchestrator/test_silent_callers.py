"""Callers that begin to send a document and then say nothing more."""

from __future__ import annotations  # the types of stubs are known to type checkers only

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arcscribe.errors import StageTimeout
from orchestrator import servicer
from tests.orchestrator.test_servicer import START, FakePipeline, Request, chunks, error_of, read_all, run

if TYPE_CHECKING:
    from arcscribe.v1.parse_pb2_grpc import DocumentParserAsyncStub as Stub


@pytest.mark.parametrize("before", [[], [START], [START, Request(chunk=b"x")]], ids=["", "start", "a chunk"])
def test_a_caller_that_falls_silent_loses_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: list[Request]
) -> None:
    monkeypatch.setattr(servicer, "SILENCE_SECONDS", 0.5)

    async def silent(over: asyncio.Event) -> AsyncIterator[Request]:
        for request in before:
            yield request
        await over.wait()

    async def work(stub: Stub, pipeline: FakePipeline) -> None:
        over = asyncio.Event()
        call = stub.ParseStream(silent(over), timeout=10)
        error = await error_of(call.read())
        assert isinstance(error, StageTimeout)
        assert error.message == "nothing of the document came for 0.5 seconds"
        assert len(await read_all(stub, chunks(b"x"))) == 4
        assert len(pipeline.calls) == 1
        over.set()

    run(tmp_path, work, max_documents=1)


def test_a_caller_that_sends_a_byte_now_and_then_loses_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servicer, "SLOW_SECONDS", 0.2)

    async def trickle(over: asyncio.Event) -> AsyncIterator[Request]:
        yield START
        while not over.is_set():
            await asyncio.sleep(0.05)
            yield Request(chunk=b"x")

    async def work(stub: Stub, pipeline: FakePipeline) -> None:
        over = asyncio.Event()
        error = await error_of(stub.ParseStream(trickle(over), timeout=10).read())
        assert isinstance(error, StageTimeout)
        assert error.message == "the document came at less than 1024 bytes a second"
        assert len(await read_all(stub, chunks(b"x"))) == 4
        assert len(pipeline.calls) == 1
        over.set()

    run(tmp_path, work, max_documents=1)


def test_a_caller_that_is_slow_keeps_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servicer, "SILENCE_SECONDS", 0.5)

    async def slowly() -> AsyncIterator[Request]:
        for request in chunks(b"a", b"b", b"c", b"d"):
            await asyncio.sleep(0.2)
            yield request

    async def work(stub: Stub, pipeline: FakePipeline) -> None:
        assert len([event async for event in stub.ParseStream(slowly(), timeout=10)]) == 4
        assert pipeline.calls[0][0] == b"abcd"

    run(tmp_path, work)
