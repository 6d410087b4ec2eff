"""The layout stage's call, round a fake analyzer."""

from __future__ import annotations  # the types of stubs are known to type checkers only

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import numpy as np
import pytest

from arcscribe.convert.images import image_to_message
from arcscribe.convert.layout import layout_from_message
from arcscribe.errors import ArcscribeError, InferenceFailed, InvalidOption, QueueFull
from arcscribe.rpc.channel import open_channel
from arcscribe.rpc.logs import REQUEST_ID_KEY, current_request_id
from arcscribe.rpc.status import from_rpc_error
from arcscribe.types import PageLayout, RgbImage, StageModel
from arcscribe.v1 import layout_pb2, layout_pb2_grpc, page_pb2
from layout_stage.servicer import LayoutServicer
from tests.servers import serving
from tests.waiting import soon

if TYPE_CHECKING:
    from arcscribe.v1.layout_pb2_grpc import LayoutAnalyzerAsyncStub as Stub


class FakeAnalyzer:
    """Finds nothing on any page, once the test lets it."""

    model = StageModel("fake", "", "CPU")

    def __init__(self) -> None:
        self.may_finish = threading.Event()
        self.may_finish.set()
        self.started = 0
        self.most_at_once = 0
        self.threads: set[int] = set()
        self.request_ids: list[str] = []
        self._in_work = 0

    def analyze(self, image: RgbImage, *, detect_orientation: bool = True) -> PageLayout:
        self.threads.add(threading.get_ident())
        self.request_ids.append(current_request_id())
        self.started += 1
        self._in_work += 1
        self.most_at_once = max(self.most_at_once, self._in_work)
        self.may_finish.wait(10)
        self._in_work -= 1
        if image.shape[0] == 13:
            raise RuntimeError("unlucky height")
        height, width = image.shape[:2]
        return PageLayout(90 if detect_orientation else 0, height, width, (), self.model)


def page(height: int = 3, width: int = 5, **options: Any) -> layout_pb2.AnalyzeRequest:
    image = image_to_message(np.zeros((height, width, 3), np.uint8))
    return layout_pb2.AnalyzeRequest(image=image, **options)


@asynccontextmanager
async def stub_of(folder: Path, servicer: LayoutServicer) -> AsyncIterator[Stub]:
    def add(server: grpc.aio.Server) -> None:
        layout_pb2_grpc.add_LayoutAnalyzerServicer_to_server(servicer, server)

    async with serving(folder, add) as address, open_channel(address) as channel:
        yield layout_pb2_grpc.LayoutAnalyzerStub(channel)
    await servicer.close()


async def error_of(call: Awaitable[layout_pb2.AnalyzeResponse]) -> ArcscribeError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return from_rpc_error(caught.value)


@pytest.mark.parametrize(("skip", "rotation"), [(False, 90), (True, 0)])
def test_a_page_is_analyzed_with_its_orientation_or_taken_as_upright(
    tmp_path: Path, skip: bool, rotation: int
) -> None:
    async def work() -> None:
        servicer = LayoutServicer(FakeAnalyzer, max_waiting=1)
        await servicer.warm_up()
        async with stub_of(tmp_path, servicer) as stub:
            layout = layout_from_message(await stub.Analyze(page(skip_orientation=skip), timeout=10))
        assert (layout.rotation, layout.width, layout.height) == (rotation, 3, 5)

    asyncio.run(work())


def test_an_image_that_is_none_is_an_invalid_option(tmp_path: Path) -> None:
    async def work() -> None:
        servicer = LayoutServicer(FakeAnalyzer, max_waiting=1)
        await servicer.warm_up()
        async with stub_of(tmp_path, servicer) as stub:
            bad = page_pb2.Image(encoding=page_pb2.IMAGE_ENCODING_JPEG, data=b"no")
            assert type(await error_of(stub.Analyze(layout_pb2.AnalyzeRequest(image=bad)))) is InvalidOption

    asyncio.run(work())


def test_a_page_that_breaks_the_analyzer_fails_and_the_next_is_analyzed(tmp_path: Path) -> None:
    async def work() -> None:
        servicer = LayoutServicer(FakeAnalyzer, max_waiting=1)
        await servicer.warm_up()
        async with stub_of(tmp_path, servicer) as stub:
            assert type(await error_of(stub.Analyze(page(13), timeout=10))) is InferenceFailed
            assert (await stub.Analyze(page(), timeout=10)).width == 3

    asyncio.run(work())


def test_pages_are_analyzed_one_after_the_other_with_the_request_ids_of_their_calls(tmp_path: Path) -> None:
    analyzer = FakeAnalyzer()

    async def work() -> None:
        servicer = LayoutServicer(lambda: analyzer, max_waiting=9)
        await servicer.warm_up()
        async with stub_of(tmp_path, servicer) as stub:
            ids = [f"r-{number}" for number in range(5)]
            calls = [stub.Analyze(page(), timeout=10, metadata=((REQUEST_ID_KEY, name),)) for name in ids]
            await asyncio.gather(*calls)
        assert sorted(analyzer.request_ids) == ids

    asyncio.run(work())
    assert analyzer.most_at_once == 1
    assert len(analyzer.threads) == 1


def test_as_many_pages_are_analyzed_at_once_as_a_batch_has(tmp_path: Path) -> None:
    analyzer = FakeAnalyzer()
    analyzer.may_finish.clear()

    async def work() -> None:
        servicer = LayoutServicer(lambda: analyzer, max_waiting=1, at_once=2)
        await servicer.warm_up()
        async with stub_of(tmp_path, servicer) as stub:
            calls = [asyncio.ensure_future(stub.Analyze(page(), timeout=10)) for _ in range(4)]
            done, waiting = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
            assert type(await error_of(done.pop())) is QueueFull
            await soon(lambda: analyzer.started == 2)
            analyzer.may_finish.set()
            assert len(await asyncio.gather(*waiting)) == 3

    asyncio.run(work())
    assert analyzer.most_at_once == 2


def test_one_page_more_than_may_wait_is_told_to_come_back(tmp_path: Path) -> None:
    analyzer = FakeAnalyzer()
    analyzer.may_finish.clear()

    async def work() -> None:
        servicer = LayoutServicer(lambda: analyzer, max_waiting=2)
        await servicer.warm_up()
        async with stub_of(tmp_path, servicer) as stub:
            calls = [asyncio.ensure_future(stub.Analyze(page(), timeout=10)) for _ in range(4)]
            done, waiting = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
            error = await error_of(done.pop())
            assert (type(error), error.retryable) == (QueueFull, True)
            assert int(error.details["retry_after_ms"]) > 0
            analyzer.may_finish.set()
            assert len(await asyncio.gather(*waiting)) == 3
            assert (await stub.Analyze(page(), timeout=10)).width == 3

    asyncio.run(work())


def test_callers_that_leave_give_their_places_back(tmp_path: Path) -> None:
    analyzer = FakeAnalyzer()
    analyzer.may_finish.clear()

    async def work() -> None:
        servicer = LayoutServicer(lambda: analyzer, max_waiting=1)
        await servicer.warm_up()
        async with stub_of(tmp_path, servicer) as stub:
            leaving = [stub.Analyze(page(), timeout=10) for _ in range(2)]
            asyncio.gather(*leaving, return_exceptions=True)
            await soon(lambda: analyzer.started == 1)
            for call in leaving:
                call.cancel()
            await asyncio.sleep(0.05)
            staying = asyncio.ensure_future(stub.Analyze(page(), timeout=10))
            await asyncio.sleep(0.05)
            analyzer.may_finish.set()
            assert (await staying).width == 3
            assert analyzer.started == 2  # the one that waited was never begun

    asyncio.run(work())


def test_documents_take_turns_at_having_their_pages_analyzed(tmp_path: Path) -> None:
    analyzer = FakeAnalyzer()
    analyzer.may_finish.clear()

    async def work() -> None:
        servicer = LayoutServicer(lambda: analyzer, max_waiting=9)
        await servicer.warm_up()
        async with stub_of(tmp_path, servicer) as stub:
            calls = []
            for name in ("many", "many", "many", "many", "one"):
                metadata = ((REQUEST_ID_KEY, name),)
                calls.append(asyncio.ensure_future(stub.Analyze(page(), timeout=10, metadata=metadata)))
                await asyncio.sleep(0.02)
            analyzer.may_finish.set()
            await asyncio.gather(*calls)

    asyncio.run(work())
    assert analyzer.request_ids.index("one") <= 2


def test_calls_from_before_the_warm_up_are_answered_after_it(tmp_path: Path) -> None:
    loaded = threading.Event()

    def load() -> FakeAnalyzer:
        loaded.wait(10)
        return FakeAnalyzer()

    async def work() -> None:
        servicer = LayoutServicer(load, max_waiting=1)
        warm_up = asyncio.create_task(servicer.warm_up())
        async with stub_of(tmp_path, servicer) as stub:
            call = asyncio.ensure_future(stub.Analyze(page(), timeout=10))
            await asyncio.sleep(0.05)
            assert not call.done()
            loaded.set()
            assert (await call).width == 3
            await warm_up

    asyncio.run(work())
