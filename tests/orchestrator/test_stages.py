"""Calls to stages that die, come back, are slow, full, gone, or answer nonsense."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from pathlib import Path

import numpy as np
import pytest
import structlog

from arcscribe.errors import InferenceFailed, StageTimeout, StageUnavailable
from arcscribe.types import Crop, PageLayout, PartialText, RegionFailure, RegionKind, RegionText, RgbImage
from arcscribe.v1 import vlm_pb2
from orchestrator.stages.layout import LayoutStage
from orchestrator.stages.stage_settings import StageSettings
from orchestrator.stages.vlm import Drafts, VlmStage
from tests.orchestrator.fake_stages import FakeLayout, FakeVlm, hosted
from tests.orchestrator.stage_calls import crops, read, results_of
from tests.waiting import soon


def page(height: int) -> RgbImage:
    return np.zeros((height, 7, 3), np.uint8)


async def results_with(stage: VlmStage, wanted: Sequence[Crop], drafts: Drafts) -> dict[int, str]:
    """The text of each crop, which the fake stage takes from its draft."""
    told = [told async for told in stage.recognize(wanted, drafts)]
    return {crop_id: result.text for crop_id, result in told if isinstance(result, RegionText)}


def with_vlm(
    folder: Path,
    work: Callable[[VlmStage, FakeVlm], Awaitable[None]],
    timeout_seconds: float = 20,
    wait_seconds: float = 10,
) -> None:
    async def run() -> None:
        fake = FakeVlm(f"unix:{folder}/vlm.sock")
        async with hosted(fake.host):
            stage = VlmStage(StageSettings(f"unix:{folder}/vlm.sock", timeout_seconds, wait_seconds))
            await work(stage, fake)
            await stage.close()

    asyncio.run(run())


def with_layout(
    folder: Path, work: Callable[[LayoutStage, FakeLayout], Awaitable[None]], timeout_seconds: float = 20
) -> None:
    async def run() -> None:
        fake = FakeLayout(f"unix:{folder}/layout.sock")
        async with hosted(fake.host):
            stage = LayoutStage(StageSettings(f"unix:{folder}/layout.sock", timeout_seconds, 10))
            await work(stage, fake)
            await stage.close()

    asyncio.run(run())


def test_every_crop_is_answered_in_one_stream_under_the_callers_request_id(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        structlog.contextvars.bind_contextvars(request_id="r-17")
        assert await results_of(stage, crops(1, 2, 3)) == read(1, 2, 3)
        assert fake.streams == [[1, 2, 3]]
        assert fake.request_ids == {"r-17"}

    with_vlm(tmp_path, work)


def test_no_crops_are_no_call(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        assert await results_of(stage, ()) == {}
        assert fake.streams == []

    with_vlm(tmp_path, work)


def test_only_what_was_not_answered_is_sent_again_to_a_stage_that_came_back(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        fake.dies_once_at = {3}
        assert await results_of(stage, crops(1, 2, 3, 4)) == read(1, 2, 3, 4)
        assert fake.streams == [[1, 2, 3], [3], [4]]

    with_vlm(tmp_path, work)


def test_a_crop_that_kills_the_stage_each_time_fails_alone(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        fake.dies_at = {2}
        results = await results_of(stage, crops(1, 2, 3, 4))
        assert results == {**read(1, 3, 4), 2: InferenceFailed.reason}
        assert fake.host.deaths == 2

    with_vlm(tmp_path, work)


def test_a_crop_that_kills_the_stage_harms_no_crop_of_other_pages(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        fake.dies_at = {12}
        fake.seconds = 0.02
        pages = [crops(*range(10 * number + 1, 10 * number + 6)) for number in range(4)]
        results = await asyncio.gather(*(results_of(stage, page) for page in pages))
        together = {crop_id: text for page in results for crop_id, text in page.items()}
        assert together.pop(12) == InferenceFailed.reason
        assert together == read(*together)
        assert len(together) == 19

    with_vlm(tmp_path, work)


@pytest.mark.parametrize("how", ["dies", "refuses"])
def test_a_stage_that_ends_a_stream_while_crops_are_being_sent_is_asked_again(
    tmp_path: Path, how: str
) -> None:
    large = np.zeros((600, 600, 3), np.uint8)

    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        setattr(fake, f"{how}_once_at", {3})
        wanted = [Crop(number, RegionKind.TEXT, large, draft=f"text {number}") for number in range(60)]
        assert await results_of(stage, wanted) == read(*range(60))

    with_vlm(tmp_path, work)


def test_a_full_vlm_stage_is_asked_until_it_has_room_and_blames_no_crop(
    tmp_path: Path,
) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        fake.times_full = 9
        assert await results_of(stage, crops(1, 2, 3)) == read(1, 2, 3)
        assert fake.streams == [[1, 2, 3]]

    with_vlm(tmp_path, work)


def test_a_vlm_stage_that_never_has_a_place_takes_too_long(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        fake.times_full = 10**6
        assert await results_of(stage, crops(1)) == {1: StageTimeout.reason}

    with_vlm(tmp_path, work, timeout_seconds=0.3)


def test_a_stage_that_is_gone_is_unavailable_when_the_wait_is_over(tmp_path: Path) -> None:
    async def work() -> None:
        settings = StageSettings(f"unix:{tmp_path}/nobody.sock", 20, 0.2)
        vlm, layout = VlmStage(settings), LayoutStage(settings)
        started = time.monotonic()
        with pytest.raises(StageUnavailable, match="the vlm stage cannot be reached"):
            await results_of(vlm, crops(1))
        with pytest.raises(StageUnavailable, match="the layout stage cannot be reached"):
            await layout.analyze(page(5), skip_orientation=False)
        assert 0.4 <= time.monotonic() - started < 2
        await vlm.close()
        await layout.close()

    asyncio.run(work())


def test_a_stage_that_dies_for_good_is_unavailable(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        fake.seconds = 0.05
        results = stage.recognize(crops(1, 2, 3))
        assert (await anext(results))[0] == 1
        await fake.host.stop_serving()
        with pytest.raises(StageUnavailable):
            [result async for result in results]

    with_vlm(tmp_path, work, wait_seconds=0.2)


def test_what_is_not_read_within_the_deadline_fails_as_data(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        fake.seconds = 0.15
        results = await results_of(stage, crops(1, 2, 3, 4, 5))
        assert results[1] == "text 1"
        assert results[5] == StageTimeout.reason
        assert sorted(results) == [1, 2, 3, 4, 5]
        assert len(fake.streams) == 1

    with_vlm(tmp_path, work, timeout_seconds=0.4)


def test_answers_that_nobody_asked_for_are_passed_over(tmp_path: Path) -> None:
    good = vlm_pb2.RegionText(
        text="good", format=vlm_pb2.TEXT_FORMAT_PLAIN, finish_reason=vlm_pb2.FINISH_REASON_STOP
    )

    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        fake.answers = [
            vlm_pb2.RecognizeResponse(id=99, text=good),
            vlm_pb2.RecognizeResponse(id=99, partial=vlm_pb2.PartialText(text="go")),
            vlm_pb2.RecognizeResponse(id=1, text=good),
            vlm_pb2.RecognizeResponse(id=1, text=good),
            vlm_pb2.RecognizeResponse(id=1, partial=vlm_pb2.PartialText(text="go")),
        ]
        assert await results_of(stage, crops(1)) == {1: "good"}

    with_vlm(tmp_path, work)


def test_partial_texts_are_no_answers(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        fake.answers = [vlm_pb2.RecognizeResponse(id=1, partial=vlm_pb2.PartialText(text="go"))]
        told = [told async for told in stage.recognize(crops(1))]
        assert told[:-1] == [(1, PartialText("go"))] * 2
        assert isinstance(told[-1][1], RegionFailure)

    with_vlm(tmp_path, work)


def test_a_crop_goes_when_its_draft_is_known_and_those_without_go_at_once(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        drafts = {number: asyncio.get_running_loop().create_future() for number in (1, 2)}
        results = asyncio.ensure_future(results_with(stage, crops(1, 2, 3), drafts))
        await soon(lambda: fake.streams == [[3]])
        drafts[2].set_result("draft 2")
        await soon(lambda: fake.streams == [[3, 2]])
        drafts[1].set_result("")
        assert await results == {1: "", 2: "draft 2", 3: "text 3"}
        assert fake.streams == [[3, 2, 1]]

    with_vlm(tmp_path, work)


def test_drafts_are_kept_for_what_is_sent_again(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        fake.dies_once_at = {3}
        drafts = {number: asyncio.get_running_loop().create_future() for number in (1, 2, 3)}
        results = asyncio.ensure_future(results_with(stage, crops(1, 2, 3), drafts))
        drafts[3].set_result("draft 3")
        await soon(lambda: fake.streams == [[3], [3]])
        for number in (1, 2):
            drafts[number].set_result(f"draft {number}")
        assert await results == {number: f"draft {number}" for number in (1, 2, 3)}

    with_vlm(tmp_path, work)


def test_an_answer_that_is_malformed_is_a_failure_of_its_crop(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        fake.answers = [vlm_pb2.RecognizeResponse(id=1, text=vlm_pb2.RegionText(text="no format"))]
        ((crop_id, result),) = [found async for found in stage.recognize(crops(1))]
        assert crop_id == 1
        assert isinstance(result, RegionFailure)
        assert "format has no value 0" in result.message

    with_vlm(tmp_path, work)


def test_a_stage_that_leaves_crops_unanswered_is_asked_again_and_not_for_ever(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        fake.answers = []
        assert await results_of(stage, crops(1, 2)) == {1: "INFERENCE_FAILED", 2: "INFERENCE_FAILED"}
        assert len(fake.streams) == 1 + 2

    with_vlm(tmp_path, work)


def test_a_reader_that_leaves_ends_the_stream_in_the_stage(tmp_path: Path) -> None:
    async def work(stage: VlmStage, fake: FakeVlm) -> None:
        fake.seconds = 0.01
        async with aclosing(stage.recognize(crops(*range(500)))) as results:
            await anext(results)
            assert fake.open_streams == 1
        await soon(lambda: fake.open_streams == 0, 2)

    with_vlm(tmp_path, work)


def analyzed(layout: PageLayout) -> tuple[int, int]:
    return layout.width, layout.height


def test_a_page_is_analyzed(tmp_path: Path) -> None:
    async def work(stage: LayoutStage, fake: FakeLayout) -> None:
        assert analyzed(await stage.analyze(page(5), skip_orientation=True)) == (7, 5)
        assert [call.skip_orientation for call in fake.calls] == [True]

    with_layout(tmp_path, work)


def test_a_page_is_sent_again_to_a_layout_stage_that_came_back(tmp_path: Path) -> None:
    async def work(stage: LayoutStage, fake: FakeLayout) -> None:
        fake.dies_once_at = {5}
        assert analyzed(await stage.analyze(page(5), skip_orientation=False)) == (7, 5)
        assert len(fake.calls) == 2

    with_layout(tmp_path, work)


def test_a_page_that_kills_the_layout_stage_each_time_fails_alone(tmp_path: Path) -> None:
    async def work(stage: LayoutStage, fake: FakeLayout) -> None:
        fake.dies_at = {5}
        heights = (5, 6, 8)
        calls = (stage.analyze(page(height), skip_orientation=False) for height in heights)
        poison, *others = await asyncio.gather(*calls, return_exceptions=True)
        assert isinstance(poison, InferenceFailed)
        assert [analyzed(layout) for layout in others if isinstance(layout, PageLayout)] == [(7, 6), (7, 8)]

    with_layout(tmp_path, work)


def test_a_full_layout_stage_is_asked_until_it_has_room(tmp_path: Path) -> None:
    async def work(stage: LayoutStage, fake: FakeLayout) -> None:
        fake.times_full = 4 * 2
        assert analyzed(await stage.analyze(page(5), skip_orientation=False)) == (7, 5)

    with_layout(tmp_path, work)


@pytest.mark.parametrize(("seconds", "times_full"), [(10.0, 0), (0.0, 10**6)])
def test_a_layout_stage_that_takes_too_long_is_a_timeout(
    tmp_path: Path, seconds: float, times_full: int
) -> None:
    async def work(stage: LayoutStage, fake: FakeLayout) -> None:
        fake.seconds, fake.times_full = seconds, times_full
        with pytest.raises(StageTimeout):
            await stage.analyze(page(5), skip_orientation=False)

    with_layout(tmp_path, work, timeout_seconds=0.3)


def test_a_layout_that_is_malformed_is_a_failure_of_the_stage(tmp_path: Path) -> None:
    async def work(stage: LayoutStage, fake: FakeLayout) -> None:
        fake.rotation = 45
        with pytest.raises(InferenceFailed, match="answered wrongly: rotation cannot be 45"):
            await stage.analyze(page(5), skip_orientation=False)

    with_layout(tmp_path, work)


def test_a_layout_of_another_size_than_the_page_is_a_failure_of_the_stage(tmp_path: Path) -> None:
    async def work(stage: LayoutStage, fake: FakeLayout) -> None:
        fake.rotation = 90  # and the size is that of the page before the turn
        with pytest.raises(InferenceFailed, match=r"answered wrongly: .* is not the page's height"):
            await stage.analyze(page(5), skip_orientation=False)
        fake.rotation = 180
        assert analyzed(await stage.analyze(page(5), skip_orientation=False)) == (7, 5)

    with_layout(tmp_path, work)
