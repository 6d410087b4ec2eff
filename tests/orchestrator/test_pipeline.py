"""The path of a document, with a page source and stages that are fakes."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pytest
import structlog

from arcscribe.document import MarkdownOptions, PageFailure, PictureMode
from arcscribe.errors import ArcscribeError, InferenceFailed, InvalidOption, StageTimeout, StageUnavailable
from arcscribe.events import (
    DocumentDone,
    DocumentOpened,
    PageDone,
    ParseEvent,
    ParseOptions,
    Progress,
    RegionDone,
    RegionPartial,
)
from arcscribe.types import (
    Box,
    Crop,
    FinishReason,
    PageLayout,
    PartialText,
    RecognizeOptions,
    Region,
    RegionFailure,
    RegionKind,
    RegionText,
    RgbImage,
    SpottedText,
    StageModel,
    TextFormat,
)
from orchestrator.crops import MARGIN
from orchestrator.pages.formats import FileFormat
from orchestrator.pages.open_document import FailedPage, Page
from orchestrator.pages.selection import select_pages
from orchestrator.pipeline import WAITING_EVENTS, Pipeline
from orchestrator.stages.vlm import Drafts
from tests.waiting import soon

WIDTH, HEIGHT = 60, 80
REGIONS_A_PAGE = 2
MODEL = StageModel("fake", "none", "CPU")


@dataclass
class FakeSource:
    """A document of some pages; its pages know their numbers by their colour."""

    page_count: int = 5
    failing: frozenset[int] = frozenset()
    in_work: int = 0
    most_in_work: int = 0
    rendered: list[int] = field(default_factory=list)
    dpis: set[float] = field(default_factory=set)
    is_open: bool = False
    left_running: int = 0
    """Pages in work when the document was closed."""
    format: FileFormat = FileFormat.PDF

    @asynccontextmanager
    async def open(self, _data: bytes, **_how: str) -> AsyncIterator["FakeSource"]:
        self.is_open = True
        try:
            yield self
        finally:
            self.is_open = False
            self.left_running = self.in_work

    def select(self, spec: str) -> tuple[int, ...]:
        return select_pages(spec, self.page_count)

    async def render(self, number: int, dpi: float) -> Page | FailedPage:
        self.rendered.append(number)
        self.dpis.add(dpi)
        await asyncio.sleep(0)
        if number in self.failing:
            return FailedPage(number, PageFailure("INVALID_DOCUMENT", "a damaged page"))
        return Page(number, np.full((HEIGHT, WIDTH, 3), number, np.uint8), dpi)


@dataclass
class FakeLayout:
    """Finds two regions on each page, one above the other."""

    source: FakeSource
    errors: dict[int, Exception] = field(default_factory=dict)
    kind: RegionKind = RegionKind.TEXT
    boxes: Sequence[Box] = (Box(5, 5, 55, 25), Box(5, 40, 55, 60))
    rotation: int = 0
    unwarped: RgbImage | None = None
    first_id: int = 1

    async def analyze(self, image: RgbImage, **_how: bool) -> PageLayout:
        self.source.in_work += 1
        self.source.most_in_work = max(self.source.most_in_work, self.source.in_work)
        number = int(image[0, 0, 0])
        found = False
        try:
            await asyncio.sleep(0.002)
            found = number not in self.errors
        finally:
            self.source.in_work -= not found
        if not found:
            raise self.errors[number]
        regions = tuple(
            Region(index, self.kind, "text", 0.9, box)
            for index, box in enumerate(self.boxes, start=self.first_id)
        )
        timings = (("detect", 2.0),)
        return PageLayout(self.rotation, WIDTH, HEIGHT, regions, MODEL, timings, self.unwarped)


@dataclass
class FakeVlm:
    """Reads a page's number in each crop, the last crop first."""

    source: FakeSource
    failing: frozenset[tuple[int, int]] = frozenset()
    errors: dict[int, Exception] = field(default_factory=dict)
    format: TextFormat = TextFormat.PLAIN
    waits: Callable[[int], Awaitable[None]] = lambda _page: asyncio.sleep(0.002)
    partial: str = ""
    """What it tells of each crop, letter by letter, before the answer, where it is asked to."""
    spotted: tuple[SpottedText, ...] = ()
    cancelled: int = 0
    drafts: list[str] = field(default_factory=list)
    """What came with the crops."""

    async def recognize(
        self, crops: Sequence[Crop], drafts: Drafts
    ) -> AsyncGenerator[tuple[int, PartialText | RegionText | RegionFailure], None]:
        try:
            for crop in reversed(crops):
                page = int(crop.pixels[0, 0, 0])
                await self.waits(page)
                if page in self.errors:
                    raise self.errors[page]
                for end in range(1, len(self.partial) * crop.options.partial_text + 1):
                    yield crop.id, PartialText(self.partial[:end])
                    await asyncio.sleep(0)
                if crop.id in drafts:
                    self.drafts.append(await drafts[crop.id])
                yield crop.id, self._result(page, crop.id)
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled += 1
            raise
        finally:
            self.source.in_work -= 1

    def _result(self, page: int, crop_id: int) -> RegionText | RegionFailure:
        if (page, crop_id) in self.failing:
            return RegionFailure("INFERENCE_FAILED", "no luck")
        text = f"Page {page} region {crop_id}."
        return RegionText(text, self.format, FinishReason.STOP, "fake", "none", 1.0, spotted=self.spotted)


@dataclass
class FakeDrafts:
    """A draft stage, which says where each crop lies; or does not answer, or fails."""

    error: Exception | None = None
    hangs: bool = False
    asked: list[Crop] = field(default_factory=list)

    async def read(self, crops: Sequence[Crop]) -> AsyncGenerator[tuple[int, str], None]:
        self.asked += crops
        for crop in crops:
            await asyncio.sleep(0)
            if self.error and crop is crops[-1]:
                raise self.error
            if self.hangs:
                await asyncio.sleep(60)
            yield crop.id, f"draft of {int(crop.pixels[0, 0, 0])}.{crop.id}"


@dataclass
class Fakes:
    source: FakeSource
    layout: FakeLayout
    vlm: FakeVlm
    drafts: FakeDrafts | None = None

    def pipeline(self, window: int = 3) -> Pipeline:
        stages = (cast(Any, self.source), cast(Any, self.layout), cast(Any, self.vlm))
        return Pipeline(*stages, window, cast(Any, self.drafts))

    def parse(self, options: ParseOptions | None = None, window: int = 3) -> AsyncGenerator[ParseEvent, None]:
        return self.pipeline(window).parse(b"%PDF", "it.pdf", options or ParseOptions(), "r-17")


UNREAD = RegionText("", TextFormat.NONE, FinishReason.STOP, "", "", 0.0)


@pytest.fixture
def fakes() -> Fakes:
    source = FakeSource()
    return Fakes(source, FakeLayout(source), FakeVlm(source))


def events_of(fakes: Fakes, options: ParseOptions | None = None, window: int = 3) -> list[ParseEvent]:
    async def run() -> list[ParseEvent]:
        return [event async for event in fakes.parse(options, window)]

    return asyncio.run(run())


def pages_of(events: Sequence[ParseEvent]) -> list[PageDone]:
    return [event for event in events if isinstance(event, PageDone)]


def markdown_of(events: Sequence[ParseEvent]) -> str:
    done = events[-1]
    assert isinstance(done, DocumentDone)
    return done.markdown.text


def test_events_tell_of_the_document_in_order(fakes: Fakes) -> None:
    events = events_of(fakes)
    assert events[0] == DocumentOpened("application/pdf", 5, 5, "r-17")
    assert isinstance(events[-1], DocumentDone)
    assert [event.page.number for event in pages_of(events)] == [1, 2, 3, 4, 5]
    progress = [event for event in events if isinstance(event, Progress)]
    assert progress == [Progress(done, 5, REGIONS_A_PAGE * done) for done in range(1, 6)]
    for index, event in enumerate(events):
        if isinstance(event, PageDone):
            before = [
                earlier.block.region.id
                for earlier in events[:index]
                if isinstance(earlier, RegionDone) and earlier.page_number == event.page.number
            ]
            assert sorted(before) == [1, 2]
            assert isinstance(events[index + 1], Progress)


def test_blocks_are_in_reading_order_whatever_is_read_first(fakes: Fakes) -> None:
    events = events_of(fakes)
    for done in pages_of(events):
        assert [block.region.id for block in done.page.blocks] == [1, 2]
        assert done.page.layout_model == MODEL
        assert done.page.timings_ms[0] == ("detect", 2.0)
        assert [name for name, _ in done.page.timings_ms] == ["detect", "reading"]
    places = [markdown_of(events).index(f"Page {page} region {n}.") for page in range(1, 6) for n in (1, 2)]
    assert places == sorted(places)


def test_regions_that_are_only_to_be_found_are_not_read(fakes: Fakes) -> None:
    fakes.vlm.format = TextFormat.NONE  # which would be pictures
    events = events_of(fakes, ParseOptions(layout_only=True, overlays=True))
    assert not [event for event in events if isinstance(event, RegionDone)]
    for done in pages_of(events):
        assert [block.region.id for block in done.page.blocks] == [1, 2]
        assert [block.result for block in done.page.blocks] == [UNREAD] * 2
        assert done.pictures == ()
        assert done.overlay
    done_at_last = events[-1]
    assert isinstance(done_at_last, DocumentDone)
    assert done_at_last.markdown.text == ""
    counts = done_at_last.markdown.line_counts
    assert all(count.found == count.left_out for count in counts)
    assert len(counts) == 5


def test_regions_are_cut_out_of_the_flat_page_where_the_layout_stage_answers_with_one(fakes: Fakes) -> None:
    fakes.layout.unwarped = np.full((HEIGHT, WIDTH, 3), 77, np.uint8)
    markdown = markdown_of(events_of(fakes, ParseOptions(pages="1")))
    assert "Page 77 region 1." in markdown
    assert "Page 77 region 2." in markdown


def test_only_the_pages_asked_for_are_rendered_at_the_dpi_asked_for(fakes: Fakes) -> None:
    events = events_of(fakes, ParseOptions(pages="2,4-", dpi=96))
    assert events[0] == DocumentOpened("application/pdf", 5, 3, "r-17")
    assert fakes.source.rendered == [2, 4, 5]
    assert fakes.source.dpis == {96}


@pytest.mark.parametrize("dpi", [1, 71, 601])
def test_a_dpi_out_of_range_is_refused_before_the_document_is_opened(fakes: Fakes, dpi: int) -> None:
    with pytest.raises(InvalidOption, match="72 to 600"):
        events_of(fakes, ParseOptions(dpi=dpi))
    assert fakes.source.rendered == []


@pytest.mark.parametrize("window", [1, 2, 4])
def test_no_more_pages_are_in_work_than_the_window_holds(fakes: Fakes, window: int) -> None:
    fakes.source.page_count = 12
    assert len(pages_of(events_of(fakes, window=window))) == 12
    assert fakes.source.most_in_work == window
    assert fakes.source.in_work == 0


def test_a_reader_that_does_not_read_holds_the_document_back(fakes: Fakes) -> None:
    fakes.source.page_count = 200

    async def run() -> int:
        async with aclosing(fakes.parse()) as events:
            await anext(events)
            await anext(events)
            await asyncio.sleep(0.5)
            return len(fakes.source.rendered)

    rendered = asyncio.run(run())
    assert rendered <= WAITING_EVENTS / (REGIONS_A_PAGE + 1) + 2 * 3


def test_a_slow_page_holds_back_no_regions_of_the_pages_after_it(fakes: Fakes) -> None:
    first_may_go = asyncio.Event()

    async def waits(page: int) -> None:
        if page == 1:
            await first_may_go.wait()

    fakes.vlm.waits = waits

    async def run() -> list[int]:
        seen = []
        async for event in fakes.parse():
            if isinstance(event, RegionDone):
                seen.append(event.page_number)
                if event.page_number == 3:
                    first_may_go.set()
        return seen

    assert set(asyncio.run(run())[:4]) == {2, 3}


@pytest.mark.parametrize("leave_at", [DocumentOpened, RegionDone, PageDone])
def test_a_reader_that_leaves_ends_all_work_before_the_document_is_closed(
    fakes: Fakes, leave_at: type[ParseEvent]
) -> None:
    async def run() -> set[asyncio.Task[Any]]:
        async with aclosing(fakes.parse()) as events:
            async for event in events:
                if isinstance(event, leave_at):
                    await asyncio.sleep(0.003)
                    break
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(run()) == set()
    assert (fakes.source.is_open, fakes.source.left_running) == (False, 0)


def test_a_call_that_is_cancelled_ends_all_work_before_the_document_is_closed(fakes: Fakes) -> None:
    async def never(_page: int) -> None:
        await asyncio.sleep(60)

    fakes.vlm.waits = never

    async def read_all() -> None:
        async with aclosing(fakes.parse()) as events:
            async for _event in events:
                pass

    async def run() -> None:
        task = asyncio.create_task(read_all())
        await soon(lambda: fakes.source.in_work == 3)
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert fakes.vlm.cancelled == 3
    assert (fakes.source.is_open, fakes.source.left_running) == (False, 0)


def test_a_page_that_cannot_be_rendered_is_data(fakes: Fakes) -> None:
    fakes.source.failing = frozenset({2})
    events = events_of(fakes)
    failures = [done.page.failure for done in pages_of(events)]
    assert failures == [None, PageFailure("INVALID_DOCUMENT", "a damaged page"), None, None, None]
    assert "Page 3 region 1." in markdown_of(events)


@pytest.mark.parametrize("error", [InferenceFailed("x"), StageTimeout("x"), InvalidOption("x")])
def test_a_page_that_cannot_be_analyzed_is_data(fakes: Fakes, error: ArcscribeError) -> None:
    fakes.layout.errors = {4: error}
    page = pages_of(events_of(fakes))[3].page
    assert page.failure == PageFailure(error.reason, "the layout stage could not analyse this page")
    assert (page.width, page.height, page.blocks) == (WIDTH, HEIGHT, ())


@pytest.mark.parametrize("where", ["layout", "vlm"])
def test_what_nobody_foresaw_in_a_page_fails_that_page_alone(fakes: Fakes, where: str) -> None:
    getattr(fakes, where).errors = {2: ZeroDivisionError("secret")}
    pages = [done.page for done in pages_of(events_of(fakes))]
    assert [page.failure is not None for page in pages] == [False, True, False, False, False]
    assert pages[1].failure is not None
    assert pages[1].failure.reason == InferenceFailed.reason
    assert "secret" not in pages[1].failure.message


def test_a_region_that_fails_is_data_and_its_neighbour_is_read(fakes: Fakes) -> None:
    fakes.vlm.failing = frozenset({(2, 1)})
    events = events_of(fakes)
    first, second = pages_of(events)[1].page.blocks
    assert first.result == RegionFailure("INFERENCE_FAILED", "no luck")
    assert isinstance(second.result, RegionText)
    assert "Page 2 region 2." in markdown_of(events)
    assert "region 1 (text) on page 2 could not be read" in markdown_of(events)


def test_a_region_of_which_there_is_nothing_on_the_page_fails_alone(fakes: Fakes) -> None:
    fakes.layout.boxes = (Box(5, 5, 55, 25), Box(500, 500, 600, 600))
    page = pages_of(events_of(fakes))[0].page
    assert [type(block.result) for block in page.blocks] == [RegionText, RegionFailure]


@pytest.mark.parametrize("where", ["layout", "vlm"])
def test_a_stage_that_is_gone_fails_the_call_and_leaves_nothing_in_work(fakes: Fakes, where: str) -> None:
    getattr(fakes, where).errors = {2: StageUnavailable("gone")}

    async def run() -> set[asyncio.Task[Any]]:
        with pytest.raises(StageUnavailable):
            [event async for event in fakes.parse()]
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(run()) == set()
    assert (fakes.source.is_open, fakes.source.left_running) == (False, 0)


def test_places_of_lines_are_those_of_the_page(fakes: Fakes) -> None:
    fakes.vlm.spotted = (SpottedText("a", Box(1, 2, 3, 4).to_polygon()),)
    events = events_of(fakes)
    blocks = [event.block for event in events if isinstance(event, RegionDone)]
    blocks += [block for done in pages_of(events) for block in done.page.blocks]
    assert len(blocks) == 2 * 5 * REGIONS_A_PAGE
    for block in blocks:
        assert isinstance(block.result, RegionText)
        left, top = block.region.box.left - MARGIN, block.region.box.top - MARGIN
        (spotted,) = block.result.spotted
        assert spotted.polygon == Box(1, 2, 3, 4).shifted(left, top).to_polygon()


def test_regions_that_stay_pictures_are_cut_out_and_linked(fakes: Fakes) -> None:
    fakes.layout.kind, fakes.vlm.format = RegionKind.IMAGE, TextFormat.NONE
    events = events_of(fakes)
    names = [picture.name for done in pages_of(events) for picture in done.pictures]
    assert len(set(names)) == 5 * REGIONS_A_PAGE
    assert all(f"({name})" in markdown_of(events) for name in names)


def test_pictures_inline_are_in_the_markdown_itself(fakes: Fakes) -> None:
    fakes.layout.kind, fakes.vlm.format = RegionKind.IMAGE, TextFormat.NONE
    events = events_of(fakes, ParseOptions(markdown=MarkdownOptions(picture_mode=PictureMode.INLINE)))
    assert markdown_of(events).count("data:image/png;base64,") == 5 * REGIONS_A_PAGE


@pytest.mark.parametrize("wanted", [False, True])
def test_an_overlay_comes_when_asked_for(fakes: Fakes, wanted: bool) -> None:
    overlays = [done.overlay for done in pages_of(events_of(fakes, ParseOptions(overlays=wanted)))]
    assert [overlay.startswith(b"\xff\xd8") for overlay in overlays] == [wanted] * 5


def test_a_turned_page_is_cropped_upright(fakes: Fakes) -> None:
    fakes.layout.rotation = 90
    fakes.layout.boxes = (Box(60, 5, 75, 25),)  # on the page as it is after the turn only
    page = pages_of(events_of(fakes))[0].page
    assert page.rotation == 90
    assert isinstance(page.blocks[0].result, RegionText)


PARTIAL = ParseOptions(recognize=RecognizeOptions(partial_text=True))


def test_partial_texts_come_before_their_region_and_only_when_asked_for(
    fakes: Fakes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orchestrator.page_reader.PARTIAL_SECONDS", 0.0)
    fakes.vlm.partial = "text"
    events = events_of(fakes, PARTIAL)
    shown = [event for event in events if isinstance(event, RegionPartial)]
    assert {event.text for event in shown} <= {"t", "te", "tex", "text"}
    assert {(event.page_number, event.region_id) for event in shown} == {
        (page, region) for page in range(1, 6) for region in (1, 2)
    }
    for index, event in enumerate(events):
        if isinstance(event, RegionDone):
            after = [later for later in events[index:] if isinstance(later, RegionPartial)]
            assert (event.page_number, event.block.region.id) not in [
                (later.page_number, later.region_id) for later in after
            ]
    assert not any(isinstance(event, RegionPartial) for event in events_of(fakes))


def test_people_are_told_of_a_regions_place_in_the_reading_order_whatever_its_id(fakes: Fakes) -> None:
    fakes.layout.first_id, fakes.vlm.partial, fakes.vlm.failing = 0, "text", frozenset({(2, 0)})
    events = events_of(fakes, PARTIAL)
    shown = [event for event in events if isinstance(event, RegionPartial)]
    assert {(event.region_id, event.order) for event in shown} == {(0, 1), (1, 2)}
    assert "region 1 (text) on page 2 could not be read" in markdown_of(events)


def test_partial_texts_are_told_a_few_times_a_second_and_the_rest_is_dropped(fakes: Fakes) -> None:
    fakes.source.page_count, fakes.vlm.partial = 1, "x" * 2000
    events = events_of(fakes, PARTIAL)
    assert 1 <= len([event for event in events if isinstance(event, RegionPartial)]) < 40


def test_partial_texts_hold_nothing_back(fakes: Fakes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orchestrator.page_reader.PARTIAL_SECONDS", 0.0)
    fakes.source.page_count, fakes.vlm.partial = 12, "x" * 50

    async def run() -> int:
        async with aclosing(fakes.parse(PARTIAL)) as events:
            await anext(events)
            await anext(events)  # and no more for a while, in which 1,200 partial texts come
            await soon(lambda: len(fakes.source.rendered) == 12)
            return len([event async for event in events if isinstance(event, RegionDone)])

    assert asyncio.run(run()) >= 12 * REGIONS_A_PAGE - 1


def test_crops_of_text_have_drafts_where_there_is_a_draft_stage(fakes: Fakes) -> None:
    fakes.drafts = FakeDrafts()
    events = events_of(fakes, PARTIAL)
    assert sorted(fakes.vlm.drafts) == [f"draft of {page}.{n}" for page in range(1, 6) for n in (1, 2)]
    assert {crop.options for crop in fakes.drafts.asked} == {RecognizeOptions()}
    for done in pages_of(events):
        assert [name for name, _ in done.page.timings_ms] == ["detect", "drafts", "reading"]


@pytest.mark.parametrize("kind", [RegionKind.TABLE, RegionKind.FORMULA, RegionKind.CHART, RegionKind.SEAL])
def test_what_is_no_text_has_no_draft(fakes: Fakes, kind: RegionKind) -> None:
    fakes.drafts, fakes.layout.kind = FakeDrafts(), kind
    events = events_of(fakes)
    assert (fakes.drafts.asked, fakes.vlm.drafts) == ([], [])
    assert [name for name, _ in pages_of(events)[0].page.timings_ms] == ["detect", "reading"]


@pytest.mark.parametrize("error", [StageUnavailable("gone"), StageTimeout("slow"), ZeroDivisionError("oh")])
def test_a_draft_stage_that_fails_costs_the_document_no_more_than_the_drafts(
    fakes: Fakes, error: Exception
) -> None:
    fakes.drafts = FakeDrafts(error)
    with structlog.testing.capture_logs() as logs:
        events = events_of(fakes)
    assert all(done.page.failure is None for done in pages_of(events))
    assert sorted(draft for draft in fakes.vlm.drafts if draft) == [f"draft of {n}.1" for n in range(1, 6)]
    (told,) = [entry for entry in logs if entry["event"] == "drafts lacking"]
    reason = error.reason if isinstance(error, ArcscribeError) else InferenceFailed.reason
    assert (told["wanted"], told["lacking"], told["reasons"]) == (10, 5, {reason: 5})


def test_a_reader_that_leaves_does_not_wait_for_drafts(fakes: Fakes) -> None:
    fakes.drafts = FakeDrafts(hangs=True)

    async def run() -> set[asyncio.Task[Any]]:
        async with asyncio.timeout(5), aclosing(fakes.parse()) as events:
            await anext(events)
            task = asyncio.ensure_future(anext(events))
            drafts = cast(FakeDrafts, fakes.drafts)
            await soon(lambda: len(drafts.asked) == 6)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        return asyncio.all_tasks() - {asyncio.current_task()}

    with structlog.testing.capture_logs() as logs:
        assert asyncio.run(run()) == set()
    assert (fakes.source.is_open, fakes.source.left_running) == (False, 0)
    assert [entry for entry in logs if entry["event"] == "drafts lacking"] == []
