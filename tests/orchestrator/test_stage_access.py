"""Stages behind TLS and tokens, seen from the orchestrator."""

import asyncio
from pathlib import Path

import numpy as np
import pytest
import structlog

from arcscribe.errors import InferenceFailed, InvalidConfig, InvalidOption
from arcscribe.rpc.access import Access
from arcscribe.rpc.server import Service
from arcscribe.rpc.tokens import CallToken, hash_of
from arcscribe.types import Crop, RegionFailure, RegionKind, RegionText
from arcscribe.v1 import vlm_pb2_grpc
from orchestrator.stages import pool as pool_module
from orchestrator.stages.stage_settings import StageSettings
from orchestrator.stages.vlm import VlmStage
from tests.certificates import Authority
from tests.orchestrator.fake_stages import FakeVlm
from tests.servers import guarded
from tests.waiting import soon

CROP = Crop(1, RegionKind.TEXT, np.zeros((4, 4, 3), np.uint8), draft="what it says")


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def vlm_service(vlm: FakeVlm) -> Service:
    async def nothing() -> None:
        return

    return Service(
        "arcscribe.v1.RegionRecognizer",
        lambda server: vlm_pb2_grpc.add_RegionRecognizerServicer_to_server(vlm, server),
        nothing,
        nothing,
    )


def token_file(folder: Path, token: str) -> str:
    (folder / "token").write_text(token, encoding="utf-8")
    return str(folder / "token")


async def read(stage: VlmStage) -> RegionText | RegionFailure:
    (result,) = [result async for _, result in stage.recognize([CROP])]
    assert isinstance(result, RegionText | RegionFailure)
    return result


async def reads(stage: VlmStage) -> bool:
    result = await read(stage)
    return isinstance(result, RegionText) and result.text == CROP.draft


def test_crops_go_over_mutual_tls_with_a_token_to_a_stage_that_a_name_stands_for(
    authority: Authority, tmp_path: Path
) -> None:
    own, access = (
        authority.issue("o", to="own"),
        Access(authority.server("localhost", mutual=True), (CallToken("orchestrator", hash_of("t0ken")),)),
    )

    async def work() -> None:
        vlm = FakeVlm("")
        async with guarded(vlm_service(vlm), access) as address:
            port = address.rpartition(":")[2]
            settings = StageSettings(
                f"dns:///localhost:{port}",
                wait_seconds=5,
                tls=authority.tls(own),
                token_file=token_file(tmp_path, "t0ken"),
            )
            stage = VlmStage(settings)
            assert await reads(stage)
            await stage.close()

    asyncio.run(work())


def test_a_new_certificate_and_a_new_token_are_taken_without_a_restart(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "RESOLVE_SECONDS", 0.02)
    tokens = CallToken("old", hash_of("old")), CallToken("new", hash_of("new"))
    own = authority.issue("o", to="own")

    async def work() -> None:
        vlm = FakeVlm("")
        async with guarded(vlm_service(vlm), Access(authority.server(mutual=True), tokens)) as address:
            settings = StageSettings(
                address, wait_seconds=5, tls=authority.tls(own), token_file=token_file(tmp_path, "old")
            )
            stage = VlmStage(settings)
            assert await reads(stage)
            (before,) = stage.pool.members
            authority.issue("o", to="own")
            token_file(tmp_path, "new")
            await soon(
                lambda: all(
                    member is not before and member.credentials.token == "new"
                    for member in stage.pool.members
                )
            )
            assert await reads(stage)
            with structlog.testing.capture_logs() as logs:
                own.key.write_text("nonsense", encoding="utf-8")
                await soon(lambda: any(entry["event"] == "credentials not reloaded" for entry in logs))
            assert await reads(stage)
            await stage.close()

    asyncio.run(work())


def test_what_is_in_work_is_finished_on_the_old_connection(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "RESOLVE_SECONDS", 0.02)

    async def work() -> None:
        vlm = FakeVlm("")
        async with guarded(vlm_service(vlm), Access(authority.server())) as address:
            stage = VlmStage(StageSettings(address, wait_seconds=5, tls=authority.tls()))
            assert await reads(stage)
            vlm.seconds = 0.4
            reading = asyncio.ensure_future(read(stage))
            await soon(lambda: len(vlm.streams) == 2)
            authority.file.write_bytes(authority.file.read_bytes() + b"\n")
            await soon(lambda: bool(stage.pool._leaving))
            assert isinstance(await reading, RegionText)
            assert len(vlm.streams) == 2
            await stage.close()

    asyncio.run(work())


def test_a_token_that_the_stage_refuses_is_our_fault_and_not_the_callers(tmp_path: Path) -> None:
    async def work() -> RegionText | RegionFailure:
        access = Access(tokens=(CallToken("orchestrator", hash_of("right")),))
        async with guarded(vlm_service(FakeVlm("")), access) as address:
            stage = VlmStage(StageSettings(address, wait_seconds=5, token_file=token_file(tmp_path, "wrong")))
            result = await read(stage)
            await stage.close()
            return result

    with structlog.testing.capture_logs() as logs:
        result = asyncio.run(work())
    assert isinstance(result, RegionFailure)
    assert result.reason == InferenceFailed.reason
    assert "stage refuses the token" in [entry["event"] for entry in logs]
    assert "wrong" not in str(logs)


def test_settings_that_cannot_be_used_are_refused_at_the_start(tmp_path: Path) -> None:
    async def made(settings: StageSettings) -> None:
        VlmStage(settings)

    with pytest.raises(InvalidConfig, match="absent: No such file"):
        asyncio.run(made(StageSettings("vlm:1", token_file=str(tmp_path / "absent"))))
    with pytest.raises(InvalidOption, match="to vlm:1 in plain text"):
        asyncio.run(made(StageSettings(("127.0.0.1:1", "vlm:1"), token_file=token_file(tmp_path, "t"))))
