"""`arcscribe health`: what it says of a process, and with which exit status."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2_grpc

from arcscribe.errors import StageUnavailable
from arcscribe.rpc.access import Access
from arcscribe.rpc.credentials import PLAIN
from arcscribe.rpc.health import NOT_SERVING, SERVING, Health
from arcscribe.tools.health import until_serving
from arcscribe.tools.main import main
from tests.certificates import Authority
from tests.rpc.fake_stage import FakeStage, fake_service, nothing
from tests.servers import guarded, serving


def adding(health: Health) -> Callable[[grpc.aio.Server], None]:
    return lambda server: health_pb2_grpc.add_HealthServicer_to_server(health, server)


def told(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit status of the command."""
    monkeypatch.setattr(sys, "argv", ["arcscribe", "health", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    return int(caught.value.code or 0)


def test_a_process_that_serves_is_well(tmp_path: Path) -> None:
    async def run() -> None:
        health = Health()
        await health.say("", SERVING)
        async with serving(tmp_path, adding(health)) as address:
            await until_serving(address, 5)

    asyncio.run(run())


def test_a_process_that_loads_is_not_well_and_is_waited_for_where_that_is_asked(tmp_path: Path) -> None:
    async def run() -> None:
        health = Health()
        await health.say("", NOT_SERVING)
        async with serving(tmp_path, adding(health)) as address:
            with pytest.raises(StageUnavailable, match="says NOT_SERVING"):
                await until_serving(address, 5)
            waiting = asyncio.create_task(until_serving(address, 5, 20))
            await asyncio.sleep(0.1)
            assert not waiting.done()
            await health.say("", SERVING)
            await waiting

    asyncio.run(run())


def test_a_process_behind_tls_answers_who_knows_its_authority(tmp_path: Path) -> None:
    authority = Authority(tmp_path)

    async def run() -> None:
        async with guarded(fake_service(FakeStage(), nothing), Access(authority.server())) as address:
            await until_serving(address, 5, credentials=authority.credentials())
            with pytest.raises(StageUnavailable, match="does not answer"):
                await until_serving(address, 5, credentials=PLAIN)

    asyncio.run(run())


def test_a_process_that_is_not_there_is_one_line_and_status_1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(monkeypatch, f"unix:{tmp_path}/none.sock") == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"error: unix:{tmp_path}/none.sock does not answer: UNAVAILABLE")
    assert said.err.count("\n") == 1


def test_an_address_that_is_no_text_is_one_line_and_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(monkeypatch, "\udcff:1") == 1
    assert capsys.readouterr().err == "error: an address is host:port or unix:PATH, in UTF-8\n"


def test_a_certificate_of_ones_own_without_an_authority_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(monkeypatch, "localhost:1", "--tls-cert", str(tmp_path / "own.pem")) == 1
    assert capsys.readouterr().err == "error: --tls-cert and --tls-key need --tls-ca\n"
