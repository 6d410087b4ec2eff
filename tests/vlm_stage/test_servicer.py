"""The stream of the VLM stage, round a fake engine."""

from __future__ import annotations  # the types of stubs are known to type checkers only

import asyncio
import io
import threading
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import grpc
import numpy as np
import pytest
from PIL import Image

from arcscribe.convert.recognition import crop_to_message
from arcscribe.errors import ArcscribeError, InferenceFailed, InvalidOption
from arcscribe.rpc.channel import open_channel
from arcscribe.rpc.status import OPAQUE_MESSAGE, from_rpc_error
from arcscribe.types import Crop, RecognizeOptions, RegionFailure, RegionKind
from arcscribe.v1 import page_pb2, vlm_pb2_grpc
from arcscribe.v1.vlm_pb2 import RecognizeRequest as Request
from arcscribe.v1.vlm_pb2 import RecognizeResponse as Response
from tests.servers import serving
from tests.vlm_stage.fakes import EagerEngine, FakeEngine
from tests.waiting import soon
from vlm_stage.servicer import MAX_UNANSWERED, RecognizerServicer

if TYPE_CHECKING:
    from arcscribe.v1.vlm_pb2_grpc import RegionRecognizerAsyncStub as Stub


def crop(number: int, draft: str = "", *, partial: bool = False) -> Request:
    pixels, options = np.zeros((4, 6, 3), np.uint8), RecognizeOptions(partial_text=partial)
    draft = draft or f"text {number}"
    return crop_to_message(Crop(number, RegionKind.TEXT, pixels, draft=draft, options=options))


@asynccontextmanager
async def stub_of(folder: Path, engine: FakeEngine) -> AsyncIterator[Stub]:
    """A caller's stub of a VLM stage that runs that engine."""
    servicer = RecognizerServicer(lambda: engine)
    await servicer.warm_up()

    def add(server: grpc.aio.Server) -> None:
        vlm_pb2_grpc.add_RegionRecognizerServicer_to_server(servicer, server)

    async with serving(folder, add) as address, open_channel(address) as channel:
        yield vlm_pb2_grpc.RegionRecognizerStub(channel)
    await servicer.close(0.0)


def run(
    folder: Path,
    engine: FakeEngine,
    work: Callable[[Stub], Awaitable[None]],
) -> None:
    async def with_stub() -> None:
        async with stub_of(folder, engine) as stub:
            await asyncio.wait_for(work(stub), 20)

    asyncio.run(with_stub())


async def error_of(call: AsyncIterable[Response]) -> ArcscribeError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        [response async for response in call]
    return from_rpc_error(caught.value)


def texts(responses: Sequence[Response]) -> list[tuple[int, str]]:
    return [(response.id, response.text.text) for response in responses]


def test_outputs_come_in_the_order_in_which_they_are_ready(tmp_path: Path) -> None:
    engine = FakeEngine()

    async def work(stub: Stub) -> None:
        answers = aiter(stub.Recognize(iter(map(crop, (1, 2, 3))), timeout=10))
        got = []
        for number in (3, 1, 2):
            await soon(lambda number=number: number in engine.waiting)  # type: ignore[misc]
            await asyncio.to_thread(engine.finish, number)
            got.append(await anext(answers))
        assert texts(got) == [(3, "text 3"), (1, "text 1"), (2, "text 2")]
        assert await anext(answers, None) is None

    run(tmp_path, engine, work)


def output(response: Response) -> tuple[int, str | None, str]:
    """Which crop it tells of, and of which kind and text that is."""
    return response.id, response.WhichOneof("result"), response.partial.text or response.text.text


def test_partial_texts_come_before_the_answer_and_are_none(tmp_path: Path) -> None:
    engine = FakeEngine()

    async def work(stub: Stub) -> None:
        answers = aiter(stub.Recognize(iter([crop(1, partial=True), crop(2)]), timeout=10))
        await soon(lambda: engine.waiting == [1, 2])
        got = []
        for text in ("t", "te", "tex"):
            await asyncio.to_thread(engine.write, 1, text)
            got.append(output(await anext(answers)))
        await asyncio.to_thread(engine.finish, 1)
        got.append(output(await anext(answers)))
        assert got == [
            (1, "partial", "t"),
            (1, "partial", "te"),
            (1, "partial", "tex"),
            (1, "text", "text 1"),
        ]
        await asyncio.to_thread(engine.finish, 2)
        assert [output(answer) async for answer in answers] == [(2, "text", "text 2")]

    run(tmp_path, engine, work)


def test_a_caller_that_is_slow_misses_partial_texts_and_no_answer(tmp_path: Path) -> None:
    engine, texts = FakeEngine(), 400

    async def work(stub: Stub) -> None:
        call = stub.Recognize(iter([crop(1, partial=True), crop(2, partial=True)]), timeout=20)
        await soon(lambda: engine.waiting == [1, 2])
        for number in range(texts):  # 80 MB, far more than gRPC's own buffers hold
            await asyncio.to_thread(engine.write, 1 + number % 2, f"{number} ".ljust(200_000, "x"))
        for number in (1, 2):
            await asyncio.to_thread(engine.finish, number)
        got = [output(answer) async for answer in call]
        assert len(got) < texts / 2
        assert sorted(answer for answer in got if answer[1] == "text") == [
            (1, "text", "text 1"),
            (2, "text", "text 2"),
        ]
        assert [answer[1] for answer in got if answer[0] == 1][-1] == "text"

    run(tmp_path, engine, work)


def test_partial_texts_take_no_room_from_crops(tmp_path: Path) -> None:
    engine = FakeEngine(capacity=2 * MAX_UNANSWERED)

    async def work(stub: Stub) -> None:
        requests = (crop(number, partial=True) for number in range(MAX_UNANSWERED + 10))
        answers = aiter(stub.Recognize(requests, timeout=20))
        await soon(lambda: len(engine.waiting) == MAX_UNANSWERED)
        for number in range(20):
            await asyncio.to_thread(engine.write, 0, f"{number}")
            await anext(answers)
        assert len(engine.waiting) == MAX_UNANSWERED

    run(tmp_path, engine, work)


def test_each_stream_has_a_name_of_its_own(tmp_path: Path) -> None:
    engine = FakeEngine()

    async def work(stub: Stub) -> None:
        calls = [stub.Recognize(iter(map(crop, numbers)), timeout=10) for numbers in ((1, 2), (3, 4))]
        await soon(lambda: sorted(engine.waiting) == [1, 2, 3, 4])
        names = dict(zip(engine.accepted, engine.streams, strict=True))
        assert names[1] == names[2] != names[3] == names[4]
        for call in calls:
            call.cancel()

    run(tmp_path, engine, work)


def test_a_stream_without_crops_ends_at_once(tmp_path: Path) -> None:
    async def work(stub: Stub) -> None:
        assert [answer async for answer in stub.Recognize(iter([]), timeout=10)] == []

    run(tmp_path, FakeEngine(), work)


def test_a_crop_that_fails_is_an_answer_and_the_stream_goes_on(tmp_path: Path) -> None:
    engine = FakeEngine()

    async def work(stub: Stub) -> None:
        answers = aiter(stub.Recognize(iter(map(crop, (1, 2))), timeout=10))
        await soon(lambda: engine.waiting == [1, 2])
        await asyncio.to_thread(engine.finish, 1, RegionFailure("INFERENCE_FAILED", "no such luck"))
        await asyncio.to_thread(engine.finish, 2)
        got = {answer.id: answer async for answer in answers}
        assert (got[1].failure.reason, got[1].failure.message) == ("INFERENCE_FAILED", "no such luck")
        assert got[2].text.text == "text 2"

    run(tmp_path, engine, work)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (Request(id=2, image=crop(2).image), "INVALID_OPTION"),
        (Request(id=2, kind=page_pb2.REGION_KIND_TEXT), "INVALID_OPTION"),
        (
            Request(
                id=2,
                kind=page_pb2.REGION_KIND_TEXT,
                image=page_pb2.Image(
                    width=9_999, height=9_999, encoding=page_pb2.IMAGE_ENCODING_RGB8, data=b""
                ),
            ),
            "TOO_LARGE",
        ),
    ],
)
def test_a_crop_that_is_malformed_fails_alone(tmp_path: Path, bad: Request, reason: str) -> None:
    async def work(stub: Stub) -> None:
        call = stub.Recognize(iter([crop(1), bad, crop(3)]), timeout=10)
        got = {answer.id: answer async for answer in call}
        assert got[2].failure.reason == reason
        assert [got[number].text.text for number in (1, 3)] == ["text 1", "text 3"]

    run(tmp_path, EagerEngine(), work)


def test_a_crop_at_which_the_engine_breaks_fails_alone(tmp_path: Path) -> None:
    engine = EagerEngine()
    engine.breaks_at = frozenset({2})

    async def work(stub: Stub) -> None:
        got = {answer.id: answer async for answer in stub.Recognize(iter(map(crop, (1, 2, 3))), timeout=10)}
        assert (got[2].failure.reason, got[2].failure.message) == (InferenceFailed.reason, OPAQUE_MESSAGE)
        assert [got[number].text.text for number in (1, 3)] == ["text 1", "text 3"]

    run(tmp_path, engine, work)


def test_compressed_crops_are_read_too(tmp_path: Path) -> None:
    file = io.BytesIO()
    Image.new("RGB", (5, 4)).save(file, "PNG")
    request = crop(1)
    request.image.CopyFrom(page_pb2.Image(encoding=page_pb2.IMAGE_ENCODING_PNG, data=file.getvalue()))

    async def work(stub: Stub) -> None:
        got = [answer async for answer in stub.Recognize(iter([request]), timeout=10)]
        assert texts(got) == [(1, "text 1")]

    run(tmp_path, EagerEngine(), work)


def test_an_id_sent_twice_ends_the_stream_and_takes_back_what_is_in_work(tmp_path: Path) -> None:
    engine = FakeEngine()

    async def work(stub: Stub) -> None:
        error = await error_of(stub.Recognize(iter([crop(1), crop(7), crop(7)]), timeout=10))
        assert (type(error), error.details) == (InvalidOption, {"field": "id"})
        await soon(lambda: sorted(engine.cancelled) == [1, 7])

    run(tmp_path, engine, work)


def test_the_same_id_in_two_streams_is_two_crops(tmp_path: Path) -> None:
    async def work(stub: Stub) -> None:
        async def answered(draft: str) -> list[tuple[int, str]]:
            call = stub.Recognize(iter([crop(1, draft)]), timeout=10)
            return texts([answer async for answer in call])

        assert await answered("a") == [(1, "a")]
        assert await answered("b") == [(1, "b")]

    run(tmp_path, EagerEngine(), work)


def test_a_full_queue_holds_the_stream_back_and_loses_nothing(tmp_path: Path) -> None:
    engine = EagerEngine(capacity=2, seconds=0.001)
    numbers = list(range(60))

    async def work(stub: Stub) -> None:
        got = [answer.id async for answer in stub.Recognize(iter(map(crop, numbers)), timeout=20)]
        assert sorted(got) == numbers

    run(tmp_path, engine, work)
    assert sorted(engine.accepted) == numbers


def test_a_caller_that_takes_no_outputs_is_not_read_on(tmp_path: Path) -> None:
    engine = EagerEngine()
    answered = MAX_UNANSWERED + 50

    async def work(stub: Stub) -> None:
        # The texts fill gRPC's own buffers, which would else take all of them.
        requests = (crop(number, "x" * 200_000) for number in range(answered))
        call = stub.Recognize(requests, timeout=60)
        await soon(lambda: len(engine.accepted) >= MAX_UNANSWERED)
        await asyncio.sleep(0.2)
        assert len(engine.accepted) < answered
        assert len([answer async for answer in call]) == answered

    run(tmp_path, engine, work)


def test_a_caller_that_leaves_takes_its_crops_back(tmp_path: Path) -> None:
    engine = FakeEngine()

    async def work(stub: Stub) -> None:
        leaving = stub.Recognize(iter(map(crop, (1, 2))), timeout=10)
        staying = stub.Recognize(iter([crop(3)]), timeout=10)
        await soon(lambda: sorted(engine.waiting) == [1, 2, 3])
        leaving.cancel()
        await soon(lambda: engine.waiting == [3])
        assert sorted(engine.cancelled) == [1, 2]
        await asyncio.to_thread(engine.finish, 3)
        assert texts([answer async for answer in staying]) == [(3, "text 3")]

    run(tmp_path, engine, work)


def test_a_crop_that_waits_for_a_place_goes_with_its_caller(tmp_path: Path) -> None:
    engine = FakeEngine(capacity=1)

    async def work(stub: Stub) -> None:
        leaving = stub.Recognize(iter(map(crop, (1, 2))), timeout=10)
        await soon(lambda: engine.waiting == [1])
        leaving.cancel()
        await soon(lambda: engine.waiting == [])
        await asyncio.sleep(0.05)
        assert engine.accepted == [1]

    run(tmp_path, engine, work)


def test_streams_from_before_the_warm_up_are_answered_after_it(tmp_path: Path) -> None:
    loaded, engine = threading.Event(), EagerEngine()

    def load() -> FakeEngine:
        loaded.wait(10)
        return engine

    async def work() -> None:
        servicer = RecognizerServicer(load)
        warm_up = asyncio.create_task(servicer.warm_up())

        def add(server: grpc.aio.Server) -> None:
            vlm_pb2_grpc.add_RegionRecognizerServicer_to_server(servicer, server)

        async with serving(tmp_path, add) as address, open_channel(address) as channel:
            call = vlm_pb2_grpc.RegionRecognizerStub(channel).Recognize(iter([crop(1)]), timeout=10)
            answers = asyncio.ensure_future(anext(aiter(call)))
            await asyncio.sleep(0.1)
            assert not answers.done()
            loaded.set()
            assert texts([await answers]) == [(1, "text 1")]
            await warm_up
        assert engine.warmed_up
        await servicer.close(2.5)
        assert engine.closed_with == [2.5]

    asyncio.run(work())
