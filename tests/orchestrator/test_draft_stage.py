"""Calls to a draft stage: asked once, for a bounded time, and left alone for a while after it failed."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from arcscribe.errors import ArcscribeError, StageTimeout, StageUnavailable
from arcscribe.types import Crop, RegionKind
from arcscribe.v1 import vlm_pb2
from orchestrator.stages.draft import DraftSettings, DraftStage
from tests.orchestrator.fake_stages import FakeVlm, hosted
from tests.waiting import soon_answered


def crops(*numbers: int) -> tuple[Crop, ...]:
    pixels = np.zeros((4, 4, 3), np.uint8)
    return tuple(Crop(number, RegionKind.TEXT, pixels, draft=f"text {number}") for number in numbers)


async def read(
    stage: DraftStage, wanted: Sequence[Crop], kept: dict[int, str] | None = None
) -> dict[int, str]:
    """The drafts by crop, which are put into `kept` as they come."""
    texts = {} if kept is None else kept
    async for crop_id, text in stage.read(wanted):
        texts[crop_id] = text
    return texts


def with_stage(
    folder: Path, work: Callable[[DraftStage, FakeVlm], Awaitable[None]], timeout_seconds: float = 10
) -> None:
    async def run() -> None:
        fake = FakeVlm(f"unix:{folder}/draft.sock")
        async with hosted(fake.host):
            stage = DraftStage(DraftSettings(f"unix:{folder}/draft.sock", timeout_seconds, 5))
            await work(stage, fake)
            await stage.close()

    asyncio.run(run())


def test_each_crop_is_read(tmp_path: Path) -> None:
    async def work(stage: DraftStage, fake: FakeVlm) -> None:
        assert await read(stage, crops(1, 2)) == {1: "text 1", 2: "text 2"}
        assert fake.streams == [[1, 2]]

    with_stage(tmp_path, work)


def test_what_is_no_plain_text_is_no_draft(tmp_path: Path) -> None:
    async def work(stage: DraftStage, fake: FakeVlm) -> None:
        picture = vlm_pb2.RegionText(text="a seal", format=vlm_pb2.TEXT_FORMAT_NONE)
        fake.answers = [
            vlm_pb2.RecognizeResponse(id=1, text=picture),
            vlm_pb2.RecognizeResponse(id=2, failure=vlm_pb2.RegionFailure(reason="INFERENCE_FAILED")),
            vlm_pb2.RecognizeResponse(id=3, partial=vlm_pb2.PartialText(text="te")),
        ]
        assert await read(stage, crops(1, 2, 3)) == {}

    with_stage(tmp_path, work)


def test_a_stage_that_is_slow_is_left_after_its_time_and_what_it_read_till_then_is_kept(
    tmp_path: Path,
) -> None:
    async def work(stage: DraftStage, fake: FakeVlm) -> None:
        fake.seconds = 0.2
        kept: dict[int, str] = {}
        started = time.monotonic()
        with pytest.raises(StageTimeout):
            await read(stage, crops(*range(20)), kept)
        assert time.monotonic() - started < 2
        assert kept[0] == "text 0"
        assert len(kept) < 4

    with_stage(tmp_path, work, timeout_seconds=0.5)


def test_a_stage_that_is_not_there_costs_its_wait_once_and_is_asked_again_after_a_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.stages.draft.REST_SECONDS", 3.0)

    async def answers(stage: DraftStage) -> bool:
        try:
            return await read(stage, crops(1)) == {1: "text 1"}
        except StageUnavailable:
            return False

    async def run() -> None:
        stage = DraftStage(DraftSettings(f"unix:{tmp_path}/draft.sock", 10, 0.3))
        started = time.monotonic()
        for _ in range(5):
            assert not await answers(stage)
        assert 0.3 <= time.monotonic() - started < 1
        fake = FakeVlm(f"unix:{tmp_path}/draft.sock")
        async with hosted(fake.host):
            assert not await answers(stage)
            assert fake.streams == []
            await soon_answered(lambda: answers(stage))
            assert time.monotonic() - started >= 3
        await stage.close()

    asyncio.run(run())


def test_a_stage_that_breaks_off_is_asked_once(tmp_path: Path) -> None:
    async def work(stage: DraftStage, fake: FakeVlm) -> None:
        fake.dies_at = {2}
        with pytest.raises(ArcscribeError):
            await read(stage, crops(1, 2, 3))
        assert len(fake.streams) == 1

    with_stage(tmp_path, work)
