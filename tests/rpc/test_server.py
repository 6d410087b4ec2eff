"""What every stage's server does round its calls."""

import asyncio
import socket
import stat
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import grpc
import pytest
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arcscribe.errors import AddressInUse, InferenceFailed, InvalidOption, ModelMissing, StageUnavailable
from arcscribe.rpc.bind import LONGEST_SOCKET_PATH, bind
from arcscribe.rpc.channel import open_channel
from arcscribe.rpc.logs import MAX_REQUEST_ID, REQUEST_ID_KEY, current_request_id, request_id_of
from arcscribe.rpc.server import serve
from arcscribe.rpc.status import OPAQUE_MESSAGE, from_rpc_error
from arcscribe.v1 import layout_pb2, vlm_pb2, vlm_pb2_grpc
from tests.rpc.fake_stage import NAME, FakeStage, analyze, fake_service, nothing, running
from tests.waiting import soon, soon_answered

ResultT = TypeVar("ResultT")

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def with_stage(
    folder: Path, work: Callable[[grpc.aio.Channel], Awaitable[ResultT]], **options: Any
) -> ResultT:
    async def run() -> ResultT:
        async with running(folder, **options) as channel:
            return await work(channel)

    return asyncio.run(run())


async def health(channel: grpc.aio.Channel, service: str) -> int:
    request = health_pb2.HealthCheckRequest(service=service)
    response = await health_pb2_grpc.HealthStub(channel).Check(request, timeout=5)
    return int(response.status)


async def both_serve(channel: grpc.aio.Channel) -> bool:
    return [await health(channel, name) for name in ("", NAME)] == [SERVING] * 2


def test_an_error_of_a_unary_call_arrives_as_itself(tmp_path: Path) -> None:
    async def work(channel: grpc.aio.Channel) -> None:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await analyze(channel, "refuse")
        error = from_rpc_error(caught.value)
        assert (type(error), error.message) == (InvalidOption, "it is refused")
        assert error.details == {"field": "image"}

    with_stage(tmp_path, work)


def test_an_error_of_a_stream_arrives_as_itself_after_the_answers_before_it(tmp_path: Path) -> None:
    requests = [vlm_pb2.RecognizeRequest(id=1), vlm_pb2.RecognizeRequest(id=2, draft="refuse")]

    async def work(channel: grpc.aio.Channel) -> None:
        call = vlm_pb2_grpc.RegionRecognizerStub(channel).Recognize(iter(requests), timeout=10)
        answer = await call.read()
        assert isinstance(answer, vlm_pb2.RecognizeResponse)
        assert answer.id == 1
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call.read()
        assert type(from_rpc_error(caught.value)) is InvalidOption

    with_stage(tmp_path, work)


@pytest.mark.parametrize("shape", ["unary", "stream"])
def test_an_exception_that_nobody_foresaw_is_opaque_to_the_caller_and_logged(
    tmp_path: Path, shape: str
) -> None:
    async def work(channel: grpc.aio.Channel) -> None:
        metadata = ((REQUEST_ID_KEY, "r-17"),)
        crop = vlm_pb2.RecognizeRequest(draft="crash")
        stub = vlm_pb2_grpc.RegionRecognizerStub(channel)
        answer = (
            analyze(channel, "crash", metadata=metadata)
            if shape == "unary"
            else stub.Recognize(iter([crop]), timeout=10, metadata=metadata).read()
        )
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await answer
        assert caught.value.code() is grpc.StatusCode.INTERNAL
        error = from_rpc_error(caught.value)
        assert (type(error), error.message) == (InferenceFailed, OPAQUE_MESSAGE)

    with structlog.testing.capture_logs(processors=[structlog.contextvars.merge_contextvars]) as logs:
        with_stage(tmp_path, work)
    (failure,) = [entry for entry in logs if entry["log_level"] == "error"]
    assert failure["request_id"] == "r-17"
    assert "crashed it" in str(failure["exc_info"])


def test_a_stream_that_its_caller_leaves_ends_in_the_stage_too(tmp_path: Path) -> None:
    stage = FakeStage()

    async def work(channel: grpc.aio.Channel) -> None:
        crops = (vlm_pb2.RecognizeRequest(id=number, draft="0.01") for number in range(1000))
        call = vlm_pb2_grpc.RegionRecognizerStub(channel).Recognize(crops, timeout=10)
        await call.read()
        assert stage.in_work == 1
        call.cancel()
        await soon(lambda: stage.in_work == 0, 2)

    with_stage(tmp_path, work, stage=stage)


def test_health_says_not_serving_until_the_stage_is_warm(tmp_path: Path) -> None:
    loaded = asyncio.Event()

    async def warm_up() -> None:
        await loaded.wait()

    async def work(channel: grpc.aio.Channel) -> None:
        assert [await health(channel, name) for name in ("", NAME)] == [NOT_SERVING] * 2
        loaded.set()
        await soon_answered(lambda: both_serve(channel))

    with_stage(tmp_path, work, warm_up=warm_up)


def test_watchers_see_the_drain_and_do_not_hold_it_up(tmp_path: Path) -> None:
    async def work() -> None:
        address = f"unix:{tmp_path}/stage.sock"
        task = asyncio.create_task(serve(fake_service(FakeStage(), nothing), address, grace_seconds=60))
        async with open_channel(address) as channel:
            await asyncio.wait_for(channel.channel_ready(), 10)
            seen = []
            async for response in health_pb2_grpc.HealthStub(channel).Watch(
                health_pb2.HealthCheckRequest(service=NAME)
            ):
                seen.append(response.status)
                if response.status == SERVING:
                    task.cancel()
        await asyncio.wait_for(asyncio.gather(task, return_exceptions=True), 5)
        assert seen[-2:] == [SERVING, NOT_SERVING]

    asyncio.run(work())


def test_a_warm_up_that_fails_ends_the_process_though_calls_wait_for_it(tmp_path: Path) -> None:
    async def warm_up() -> None:
        await asyncio.sleep(0.3)
        raise ModelMissing("det.onnx is missing")

    async def work() -> None:
        address = f"unix:{tmp_path}/stage.sock"
        task = asyncio.create_task(serve(fake_service(FakeStage(), warm_up), address, grace_seconds=60))
        async with open_channel(address) as channel:
            await asyncio.wait_for(channel.channel_ready(), 10)
            waiting = analyze(channel, "30")
            with pytest.raises(ModelMissing):
                await asyncio.wait_for(task, 5)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await waiting
        assert from_rpc_error(caught.value).retryable

    asyncio.run(work())


def test_a_service_that_breaks_down_ends_the_process_with_an_error(tmp_path: Path) -> None:
    broken = False

    async def work() -> None:
        nonlocal broken
        address = f"unix:{tmp_path}/stage.sock"
        service = replace(fake_service(FakeStage(), nothing), broken=lambda: broken)
        task = asyncio.create_task(serve(service, address, grace_seconds=60))
        async with open_channel(address) as channel:
            await soon_answered(lambda: both_serve(channel))
            broken = True
            with pytest.raises(StageUnavailable, match="broken down"):
                await asyncio.wait_for(task, 5)

    asyncio.run(work())


async def bound(address: str) -> str:
    server = grpc.aio.server()
    try:
        return bind(server, address)
    finally:
        await server.stop(None)


def test_port_0_becomes_the_port_that_was_taken() -> None:
    host, _, port = asyncio.run(bound("127.0.0.1:0")).rpartition(":")
    assert host == "127.0.0.1"
    assert int(port) > 0


def test_a_port_that_another_server_has_is_in_use(tmp_path: Path) -> None:
    async def work() -> None:
        task = asyncio.create_task(serve(fake_service(FakeStage(), nothing), "127.0.0.1:0", grace_seconds=0))
        await soon(lambda: "listening" in [entry["event"] for entry in logs])
        (address,) = [entry["address"] for entry in logs if entry["event"] == "listening"]
        with pytest.raises(AddressInUse, match=r"cannot listen on 127\.0\.0\.1:\d+: in use"):
            await serve(fake_service(FakeStage(), nothing), address, grace_seconds=0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    with structlog.testing.capture_logs() as logs:
        asyncio.run(work())


@pytest.mark.parametrize("address", ["no-such-host.invalid:50061", "203.0.113.7:50061", "nonsense"])
def test_an_address_that_cannot_be_had_is_refused(address: str) -> None:
    with pytest.raises(AddressInUse, match="not of this machine"):
        asyncio.run(bound(address))


def test_a_socket_at_which_another_process_listens_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "stage.sock"
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        other.listen()
        with pytest.raises(AddressInUse, match="another process listens there"):
            asyncio.run(bound(f"unix:{path}"))
        other.settimeout(1)
        other.accept()[0].close()
        assert path.exists()


def test_a_socket_whose_process_is_gone_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "stage.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    assert asyncio.run(bound(f"unix:{path}")) == f"unix:{path}"


def test_a_file_that_is_no_socket_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    with pytest.raises(AddressInUse):
        asyncio.run(bound(f"unix:{path}"))
    assert path.read_text() == "mine"


def test_a_socket_path_that_is_too_long_is_refused_as_such(tmp_path: Path) -> None:
    path = tmp_path / ("x" * LONGEST_SOCKET_PATH)
    with pytest.raises(AddressInUse, match="longer than 107 bytes"):
        asyncio.run(bound(f"unix:{path}"))


def test_a_socket_is_for_its_owner_alone(tmp_path: Path) -> None:
    async def work(_channel: grpc.aio.Channel) -> int:
        return (tmp_path / "stage.sock").stat().st_mode

    assert stat.S_IMODE(with_stage(tmp_path, work)) == 0o600


def test_a_caller_without_a_request_id_gets_a_new_one_each_time() -> None:
    first, second = request_id_of(()), request_id_of(())
    assert first != second
    assert len(first) == 32


@pytest.mark.parametrize("unfit", ["", "x" * (MAX_REQUEST_ID + 1), "two words", "line\nbreak", b"bytes"])
def test_a_request_id_that_is_unfit_for_logs_is_replaced(unfit: str | bytes) -> None:
    assert request_id_of(((REQUEST_ID_KEY, unfit),)) != unfit


def test_a_request_id_is_that_of_the_call_in_work_and_of_no_other(tmp_path: Path) -> None:
    seen: dict[str, str] = {}

    class Noting(FakeStage):
        async def Analyze(  # noqa: N802
            self, request: layout_pb2.AnalyzeRequest, _context: Any
        ) -> layout_pb2.AnalyzeResponse:
            await asyncio.sleep(0.02)
            seen[request.image.data.decode()] = current_request_id()
            return layout_pb2.AnalyzeResponse()

    async def work(channel: grpc.aio.Channel) -> None:
        calls = [analyze(channel, f"r-{n}", metadata=((REQUEST_ID_KEY, f"r-{n}"),)) for n in range(5)]
        await asyncio.gather(*calls)

    with_stage(tmp_path, work, stage=Noting())
    assert seen == {f"r-{n}": f"r-{n}" for n in range(5)}
    assert current_request_id() == ""
