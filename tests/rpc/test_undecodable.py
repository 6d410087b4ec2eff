"""Bytes that are no message are the caller's fault."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from arcscribe.errors import InvalidOption
from arcscribe.rpc.status import from_rpc_error
from tests.rpc.fake_stage import running


def test_a_stream_of_what_is_no_message_is_an_invalid_option(tmp_path: Path) -> None:
    async def noise() -> AsyncIterator[bytes]:
        yield b"\xff" * 20

    async def call() -> None:
        async with running(tmp_path) as channel:
            method = channel.stream_stream("/arcscribe.v1.RegionRecognizer/Recognize", bytes, bytes)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await method(noise(), timeout=10).read()
            assert isinstance(from_rpc_error(caught.value), InvalidOption)

    asyncio.run(call())
