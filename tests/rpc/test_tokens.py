"""Calls with tokens, without, and with wrong ones."""

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
import pytest
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.errors import ArcscribeError, InvalidConfig, InvalidOption, QueueFull, Unauthenticated
from arcscribe.rpc.access import Access
from arcscribe.rpc.addresses import host_of, is_local
from arcscribe.rpc.channel import open_channel
from arcscribe.rpc.credentials import Credentials, read_token, refuse_to_tell
from arcscribe.rpc.status import from_rpc_error
from arcscribe.rpc.tokens import CallToken, DocumentToken, authenticated, bearer, hash_of, new_token
from arcscribe.v1 import layout_pb2, vlm_pb2, vlm_pb2_grpc
from tests.rpc.fake_stage import FakeStage, analyze, fake_service, nothing
from tests.servers import guarded

ONE, TWO = new_token(), new_token()
TOKENS = (CallToken("one", hash_of(ONE), 2), CallToken("two", hash_of(TWO)))


def with_tokens(folder: Path, work: Callable[[grpc.aio.Channel], Awaitable[None]]) -> None:
    async def run() -> None:
        service, access = fake_service(FakeStage(), nothing), Access(tokens=TOKENS)
        async with (
            guarded(service, access, f"unix:{folder}/stage.sock") as address,
            open_channel(address) as channel,
        ):
            await work(channel)

    asyncio.run(run())


async def failure(call: Awaitable[object]) -> ArcscribeError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return from_rpc_error(caught.value)


def test_a_call_with_a_known_token_is_answered_and_logged_with_the_callers_name(tmp_path: Path) -> None:
    async def work(channel: grpc.aio.Channel) -> None:
        await analyze(channel, "0", metadata=bearer(ONE))
        answer = await _recognize(channel, TWO).read()
        assert isinstance(answer, vlm_pb2.RecognizeResponse)

    with structlog.testing.capture_logs(processors=[structlog.contextvars.merge_contextvars]) as logs:
        with_tokens(tmp_path, work)
    callers = [entry["caller"] for entry in logs if entry["event"] == "working"]
    assert callers == ["one", "two"]
    assert ONE not in str(logs)


@pytest.mark.parametrize(
    "metadata",
    [
        (),
        bearer(new_token()),
        bearer("one"),
        bearer(hash_of(ONE)),
        (("authorization", ONE),),
        (("authorization", f"Basic {ONE}"),),
        (*bearer(ONE), *bearer(new_token())),
    ],
)
def test_a_call_with_another_token_or_none_is_unauthenticated_whatever_its_shape(
    tmp_path: Path, metadata: tuple[tuple[str, str], ...]
) -> None:
    async def work(channel: grpc.aio.Channel) -> None:
        stub = vlm_pb2_grpc.RegionRecognizerStub(channel)
        crops = iter([vlm_pb2.RecognizeRequest(id=1)])
        for call in (
            analyze(channel, "0", metadata=metadata),
            stub.Recognize(crops, metadata=metadata).read(),
        ):
            error = await failure(call)
            assert type(error) is Unauthenticated
            assert not error.retryable

    with structlog.testing.capture_logs() as logs:
        with_tokens(tmp_path, work)
    assert [entry["reason"] for entry in logs if entry["event"] == "call failed"] == ["UNAUTHENTICATED"] * 2
    assert all(value not in str(logs) for _, value in metadata)


def test_health_needs_no_token_and_reflection_does(tmp_path: Path) -> None:
    async def work(channel: grpc.aio.Channel) -> None:
        await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        error = await failure(stub.ServerReflectionInfo(iter([request])).read())
        assert type(error) is Unauthenticated
        answer = await stub.ServerReflectionInfo(iter([request]), metadata=bearer(ONE)).read()
        assert answer.list_services_response.service

    with_tokens(tmp_path, work)


def test_what_is_over_a_tokens_share_is_told_to_come_back_and_others_are_not(tmp_path: Path) -> None:
    async def work(channel: grpc.aio.Channel) -> None:
        two = [asyncio.ensure_future(analyze(channel, "0.4", metadata=bearer(ONE))) for _ in range(2)]
        await asyncio.sleep(0.1)
        error = await failure(analyze(channel, "0", metadata=bearer(ONE)))
        assert type(error) is QueueFull
        assert error.retryable
        assert int(error.details["retry_after_ms"]) > 0
        await analyze(channel, "0", metadata=bearer(TWO))
        await asyncio.gather(*two)
        assert isinstance(await analyze(channel, "0", metadata=bearer(ONE)), layout_pb2.AnalyzeResponse)

    with_tokens(tmp_path, work)


def test_calls_that_fail_or_are_given_up_leave_their_places(tmp_path: Path) -> None:
    async def work(channel: grpc.aio.Channel) -> None:
        for _ in range(3):
            await failure(analyze(channel, "refuse", metadata=bearer(ONE)))
        for _ in range(3):
            call = _recognize(channel, ONE, "9")
            await call.wait_for_connection()
            call.cancel()
        await asyncio.sleep(0.1)
        await analyze(channel, "0", metadata=bearer(ONE))

    with_tokens(tmp_path, work)


def test_every_known_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def compare(known: str, sent: str) -> bool:
        compared.append(known)
        return known == sent

    monkeypatch.setattr(hmac, "compare_digest", compare)
    assert authenticated(TOKENS, bearer(ONE)).name == "one"
    assert compared == [token.sha256 for token in TOKENS]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_no_other_word_is_a_token(word: str) -> None:
    with pytest.raises(Unauthenticated):
        authenticated(TOKENS, (("authorization", f"Bearer {word}"),))


def test_two_callers_that_cannot_be_told_apart_are_refused_at_the_start(tmp_path: Path) -> None:
    twice = (DocumentToken("a", hash_of("x")), DocumentToken("b", hash_of("x")))
    with pytest.raises(InvalidConfig, match="the same sha256"):
        Access(tokens=twice).interceptors()


@pytest.mark.parametrize("text", ["", "two words", "line\nline", "sp\u00e4t"])
def test_a_file_without_a_token_is_refused_without_telling_what_is_in_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "token").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidConfig, match="holds no token") as caught:
        read_token(tmp_path / "token")
    assert not text or text not in caught.value.message


def test_blanks_at_the_ends_of_a_tokens_file_are_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f" {ONE}\r\n", encoding="utf-8")
    assert read_token(tmp_path / "token") == ONE


@pytest.mark.parametrize(
    ("address", "host", "local"),
    [
        ("127.0.0.1:1", "127.0.0.1", True),
        ("127.8.0.1:1", "127.8.0.1", True),
        ("[::1]:1", "::1", True),
        ("localhost:1", "localhost", True),
        ("unix:/run/x.sock", "", True),
        ("dns:///vlm.example:1", "vlm.example", False),
        ("localhost.example:1", "localhost.example", False),
        ("10.0.0.1:1", "10.0.0.1", False),
        ("0.0.0.0:1", "0.0.0.0", False),
        ("[::]:1", "::", False),
    ],
)
def test_a_token_goes_in_plain_text_to_its_own_machine_alone(address: str, host: str, local: bool) -> None:
    assert (host_of(address), is_local(address)) == (host, local)
    refuse_to_tell(address, Credentials(is_encrypted=True, token="t"))
    refuse_to_tell(address, Credentials())
    if local:
        refuse_to_tell(address, Credentials(token="t"))
    else:
        with pytest.raises(InvalidOption, match="plain text"):
            refuse_to_tell(address, Credentials(token="t"))


def test_a_token_is_not_in_what_is_written_of_credentials() -> None:
    assert ONE not in repr(Credentials(token=ONE))


def _recognize(
    channel: grpc.aio.Channel, token: str, what: str = "0"
) -> "grpc.aio.StreamStreamCall[vlm_pb2.RecognizeRequest, vlm_pb2.RecognizeResponse]":
    crops = iter([vlm_pb2.RecognizeRequest(id=1, draft=what)])
    return vlm_pb2_grpc.RegionRecognizerStub(channel).Recognize(crops, metadata=bearer(token), timeout=20)
