"""A stage of several processes, which die, drain, fall silent, and come and go with a name."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from arcscribe.errors import InferenceFailed, StageTimeout
from arcscribe.rpc.deadline import bind_deadline
from arcscribe.rpc.health import NOT_SERVING, SERVING
from orchestrator.stages import pool as pool_module
from orchestrator.stages.layout import LayoutStage
from orchestrator.stages.pool import StagePool
from orchestrator.stages.resolver import resolved
from orchestrator.stages.stage_settings import StageSettings
from orchestrator.stages.vlm import VlmStage
from tests.orchestrator.fake_stages import FakeLayout, FakeVlm, hosted
from tests.orchestrator.stage_calls import crops, read, results_of
from tests.waiting import soon


@asynccontextmanager
async def vlms(
    folder: Path, count: int, silent_seconds: float = 15
) -> AsyncIterator[tuple[VlmStage, list[FakeVlm]]]:
    """A VLM stage of so many processes, all of which are ready."""
    addresses = tuple(f"unix:{folder}/vlm{number}.sock" for number in range(count))
    fakes = [FakeVlm(address) for address in addresses]
    async with AsyncExitStack() as stack:
        for fake in fakes:
            await stack.enter_async_context(hosted(fake.host))
        stage = VlmStage(StageSettings(addresses, 20, 5, silent_seconds))
        stack.push_async_callback(stage.close)
        await all_ready(stage.pool, count)
        yield stage, fakes


async def all_ready(pool: StagePool, count: int) -> None:
    await soon(lambda: sum(member.is_ready for member in pool.members) == count)


def seen(fake: FakeVlm) -> list[int]:
    return [number for stream in fake.streams for number in stream]


def test_crops_are_spread_evenly_over_the_processes(tmp_path: Path) -> None:
    async def work() -> None:
        async with vlms(tmp_path, 3) as (stage, fakes):
            for fake in fakes:
                fake.seconds = 0.02
            assert await results_of(stage, crops(*range(30))) == read(*range(30))
            assert [len(seen(fake)) for fake in fakes] == [10, 10, 10]
            assert [len(fake.streams) for fake in fakes] == [1, 1, 1]
            assert [member.load for member in stage.pool.members] == [0, 0, 0]

    asyncio.run(work())


def test_a_slow_process_is_passed_over(tmp_path: Path) -> None:
    async def work() -> None:
        async with vlms(tmp_path, 2) as (stage, fakes):
            fakes[0].seconds = 0.2
            pages = [crops(*range(3 * page, 3 * page + 3)) for page in range(10)]
            reading = []
            for page in pages:
                await asyncio.sleep(0.03)
                reading.append(asyncio.ensure_future(results_of(stage, page)))
            await asyncio.gather(*reading)
            assert len(seen(fakes[1])) > 1.5 * len(seen(fakes[0]))

    asyncio.run(work())


def test_what_a_dead_process_left_is_read_by_another_and_nothing_twice(tmp_path: Path) -> None:
    async def work() -> None:
        async with vlms(tmp_path, 2) as (stage, fakes):
            for fake in fakes:
                fake.dies_once_at = {6, 7}
            assert await results_of(stage, crops(*range(12))) == read(*range(12))
            assert sum(fake.host.deaths for fake in fakes) >= 1
            assert [member.load for member in stage.pool.members] == [0, 0]

    asyncio.run(work())


def test_a_crop_that_kills_is_fed_to_two_processes_and_no_third(tmp_path: Path) -> None:
    async def work() -> None:
        async with vlms(tmp_path, 3) as (stage, fakes):
            for fake in fakes:
                fake.dies_at = {4}
            results = await results_of(stage, crops(*range(9)))
            assert results.pop(4) == InferenceFailed.reason
            assert results == read(*(number for number in range(9) if number != 4))
            assert sum(seen(fake).count(4) for fake in fakes) == 2

    asyncio.run(work())


def test_a_process_that_drains_gets_nothing_more_and_ends_what_it_has(tmp_path: Path) -> None:
    async def work() -> None:
        async with vlms(tmp_path, 2) as (stage, fakes):
            fakes[0].seconds = fakes[1].seconds = 0.1
            first = asyncio.ensure_future(results_of(stage, crops(*range(4))))
            await soon(lambda: all(seen(fake) for fake in fakes))
            await fakes[0].host.health.say("", NOT_SERVING)
            await soon(lambda: sum(m.is_ready for m in stage.pool.members) == 1)
            assert await results_of(stage, crops(*range(10, 14))) == read(*range(10, 14))
            assert await first == read(*range(4))
            assert not [number for number in seen(fakes[0]) if number >= 10]
            await fakes[0].host.health.say("", SERVING)
            await all_ready(stage.pool, 2)

    asyncio.run(work())


def test_a_process_that_falls_silent_loses_its_work_to_others(tmp_path: Path) -> None:
    async def work() -> None:
        async with vlms(tmp_path, 2, silent_seconds=0.2) as (stage, fakes):
            fakes[0].host.awake.clear()
            assert await results_of(stage, crops(*range(6))) == read(*range(6))
            fakes[0].host.awake.set()
            await all_ready(stage.pool, 2)

    asyncio.run(work())


def test_the_only_process_keeps_its_work_while_it_is_silent(tmp_path: Path) -> None:
    async def work() -> None:
        async with vlms(tmp_path, 1, silent_seconds=0.1) as (stage, (fake,)):
            fake.host.awake.clear()
            results = asyncio.ensure_future(results_of(stage, crops(*range(3))))
            await soon(lambda: not any(member.is_ready for member in stage.pool.members))
            fake.host.awake.set()
            assert await results == read(*range(3))
            assert len(fake.streams) == 1

    asyncio.run(work())


def test_a_page_goes_to_another_layout_process_when_one_dies(tmp_path: Path) -> None:
    async def work() -> None:
        addresses = tuple(f"unix:{tmp_path}/layout{number}.sock" for number in range(2))
        fakes = [FakeLayout(address) for address in addresses]
        async with hosted(fakes[0].host), hosted(fakes[1].host):
            stage = LayoutStage(StageSettings(addresses, 20, 5))
            await all_ready(stage.pool, 2)
            for fake in fakes:
                fake.dies_once_at = {5}
            fakes[1].dies_once_at = set()
            layouts = [stage.analyze(np.zeros((5, 7, 3), np.uint8), skip_orientation=False) for _ in range(4)]
            assert [layout.height for layout in await asyncio.gather(*layouts)] == [5] * 4
            assert len(fakes[1].calls) >= 3
            await stage.close()

    asyncio.run(work())


def test_a_name_stands_for_all_its_addresses() -> None:
    addresses = ("dns:///localhost:50062", "unix:/run/vlm.sock", "10.0.0.1:7")
    found = {place: name for one in addresses for place, name in asyncio.run(resolved(one)).items()}
    others = {"unix:/run/vlm.sock": "", "10.0.0.1:7": ""}
    assert {"127.0.0.1:50062": "localhost", **others}.items() <= found.items()


def test_a_name_that_cannot_be_one_costs_the_others_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        fake = FakeVlm(f"unix:{tmp_path}/vlm.sock")
        async with hosted(fake.host):
            stage = VlmStage(StageSettings((f"dns:///{'x' * 64}:50062", f"unix:{tmp_path}/vlm.sock"), 20, 5))
            assert await results_of(stage, crops(1)) == read(1)
            await stage.close()

    asyncio.run(work())


def test_processes_come_and_go_with_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    behind = {f"unix:{tmp_path}/a.sock"}

    async def now(_addresses: object) -> dict[str, str]:
        return dict.fromkeys(behind, "")

    monkeypatch.setattr(pool_module, "resolved", now)
    monkeypatch.setattr(pool_module, "RESOLVE_SECONDS", 0.02)

    async def work() -> None:
        a, b = FakeVlm(f"unix:{tmp_path}/a.sock"), FakeVlm(f"unix:{tmp_path}/b.sock")
        async with hosted(a.host), hosted(b.host):
            stage = VlmStage(StageSettings("dns:///vlm:50062", 20, 5))
            assert await results_of(stage, crops(1)) == read(1)
            behind.add(f"unix:{tmp_path}/b.sock")
            await all_ready(stage.pool, 2)
            behind.remove(f"unix:{tmp_path}/a.sock")
            await soon(lambda: len(stage.pool.members) == 1)
            assert await results_of(stage, crops(2, 3)) == read(2, 3)
            assert (a.streams, b.streams) == ([[1]], [[2, 3]])
            await stage.close()

    asyncio.run(work())


def test_what_the_caller_gives_is_the_most_that_a_stage_gets(tmp_path: Path) -> None:
    async def work() -> None:
        async with vlms(tmp_path, 1) as (stage, (fake,)):
            fake.seconds = 5
            bind_deadline(0.2)
            assert await results_of(stage, crops(1)) == {1: StageTimeout.reason}

    asyncio.run(work())
