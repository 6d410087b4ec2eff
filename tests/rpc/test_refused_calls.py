"""What a call that fails leaves behind."""

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from arcscribe.errors import InvalidOption
from arcscribe.rpc.access import OPEN
from arcscribe.rpc.channel import open_channel
from arcscribe.v1 import vlm_pb2, vlm_pb2_grpc


class Page:
    """What takes memory."""


class Refusing(vlm_pb2_grpc.RegionRecognizerServicer):
    """Has a page in hand when it refuses."""

    def __init__(self) -> None:
        self.pages: list[weakref.ref[Page]] = []

    async def Recognize(  # noqa: N802
        self, _requests: AsyncIterator[vlm_pb2.RecognizeRequest], _context: Any
    ) -> AsyncIterator[vlm_pb2.RecognizeResponse]:
        page = Page()
        self.pages.append(weakref.ref(page))
        raise InvalidOption("it is refused", field="image")
        yield


async def nothing() -> AsyncIterator[vlm_pb2.RecognizeRequest]:
    return
    yield


def test_a_call_that_fails_leaves_no_page_to_the_collector_of_cycles(tmp_path: Path) -> None:
    async def call() -> None:
        server, refusing = grpc.aio.server(interceptors=OPEN.interceptors()), Refusing()
        vlm_pb2_grpc.add_RegionRecognizerServicer_to_server(refusing, server)
        server.add_insecure_port(f"unix:{tmp_path}/s.sock")
        await server.start()
        gc.disable()
        try:
            async with open_channel(f"unix:{tmp_path}/s.sock") as channel:
                stub = vlm_pb2_grpc.RegionRecognizerStub(channel)
                for _ in range(3):
                    with pytest.raises(grpc.aio.AioRpcError):
                        await stub.Recognize(nothing(), timeout=10).read()
            assert [page() for page in refusing.pages] == [None] * 3
        finally:
            gc.enable()
            await server.stop(None)

    asyncio.run(call())
