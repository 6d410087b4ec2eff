"""What is counted of calls."""

import asyncio
from contextlib import suppress
from pathlib import Path

import grpc
import pytest
from prometheus_client import REGISTRY

from arcscribe.v1 import vlm_pb2, vlm_pb2_grpc
from tests.rpc.fake_stage import analyze, running
from tests.waiting import soon


def calls(method: str, code: str) -> float:
    return REGISTRY.get_sample_value("arcscribe_requests_total", {"method": method, "code": code}) or 0.0


def in_work(method: str) -> float:
    return REGISTRY.get_sample_value("arcscribe_requests_in_work", {"method": method}) or 0.0


def failures(reason: str) -> float:
    return REGISTRY.get_sample_value("arcscribe_failures_total", {"what": "call", "reason": reason}) or 0.0


def seconds(method: str) -> float:
    return REGISTRY.get_sample_value("arcscribe_request_seconds_sum", {"method": method}) or 0.0


@pytest.mark.parametrize(
    ("what", "seconds_given", "code", "reason"),
    [
        ("", 20.0, "OK", ""),
        ("refuse", 20.0, "INVALID_ARGUMENT", "INVALID_OPTION"),
        ("crash", 20.0, "INTERNAL", "INFERENCE_FAILED"),
        ("5", 0.1, "DEADLINE_EXCEEDED", ""),
    ],
)
def test_a_unary_call_is_counted_by_how_it_ended(
    tmp_path: Path, what: str, seconds_given: float, code: str, reason: str
) -> None:
    async def run() -> None:
        before, failed = calls("Analyze", code), failures(reason)
        async with running(tmp_path) as channel:
            with suppress(grpc.aio.AioRpcError):
                await analyze(channel, what, timeout=seconds_given)
            await soon(lambda: calls("Analyze", code) == before + 1, 2)
        assert in_work("Analyze") == 0
        assert failures(reason) == failed + bool(reason)

    asyncio.run(run())


def test_a_stream_that_its_caller_leaves_is_counted_as_cancelled(tmp_path: Path) -> None:
    async def run() -> None:
        before = calls("Recognize", "CANCELLED")
        async with running(tmp_path) as channel:
            crops = (vlm_pb2.RecognizeRequest(id=number, draft="0.01") for number in range(1000))
            call = vlm_pb2_grpc.RegionRecognizerStub(channel).Recognize(crops, timeout=10)
            await call.read()
            assert in_work("Recognize") == 1
            call.cancel()
            await soon(lambda: calls("Recognize", "CANCELLED") == before + 1, 2)
            assert in_work("Recognize") == 0

    asyncio.run(run())


def test_the_time_of_a_call_is_observed(tmp_path: Path) -> None:
    async def run() -> None:
        before = seconds("Analyze")
        async with running(tmp_path) as channel:
            await analyze(channel, "0.2")
            await soon(lambda: seconds("Analyze") > before, 2)
        assert 0.2 <= seconds("Analyze") - before < 5

    asyncio.run(run())
