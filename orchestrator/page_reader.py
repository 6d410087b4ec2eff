"""The path of a page: pixels -> regions -> crops -> texts -> blocks."""

import asyncio
import time
from contextlib import aclosing
from dataclasses import dataclass

import structlog

from arcscribe.document import PageFailure, ParsedPage
from arcscribe.errors import ArcscribeError, InferenceFailed, StageUnavailable
from arcscribe.events import PageDone, ParseOptions, Picture, RegionDone, RegionPartial
from arcscribe.geometry import turn_upright
from arcscribe.rpc.status import OPAQUE_MESSAGE
from arcscribe.rpc.traces import current_span, span
from arcscribe.turns import Turns
from arcscribe.types import Block, PageLayout, PartialText, RegionFailure, RegionText, RgbImage
from orchestrator.crops import crop_regions, placed_on_page
from orchestrator.drafts import DocumentDrafts
from orchestrator.event_queue import EventQueue
from orchestrator.metrics import PAGES_IN_WORK, count_page, page_step
from orchestrator.overlay import draw_overlay
from orchestrator.pages.limits import DEFAULT_DPI
from orchestrator.pages.open_document import FailedPage, OpenDocument
from orchestrator.pictures import cut_pictures
from orchestrator.stages.layout import LayoutStage
from orchestrator.stages.vlm import VlmStage
from orchestrator.unread import unread

log = structlog.get_logger()

PARTIAL_SECONDS = 0.25
"""Between two partial texts of a region: nobody reads faster."""

PageEvents = EventQueue[RegionPartial | RegionDone | PageDone]
Timings = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class PageReader:
    """Reads the pages of one document, and tells of their regions on the way."""

    document: OpenDocument
    layout: LayoutStage
    vlm: VlmStage
    drafts: DocumentDrafts
    options: ParseOptions
    events: PageEvents
    places: Turns
    """For the pages of all documents, which take turns."""

    async def read(self, number: int) -> PageDone:
        """A page with all its blocks, or with why there are none.

        Raises:
            StageUnavailable: a stage cannot be reached.
        """
        async with self.places.place(self.events):  # of which each document has one
            with PAGES_IN_WORK.track_inprogress(), span("page", page=number):
                done = await self._read(number)
        count_page(done.page)
        return done

    async def _read(self, number: int) -> PageDone:
        try:
            return await self._page(number)
        except StageUnavailable:
            raise
        except Exception:
            log.exception("page failed", page=number)
            failure = PageFailure(InferenceFailed.reason, OPAQUE_MESSAGE)
            return PageDone(ParsedPage(number, 0, 0, 0, (), failure))

    async def _page(self, number: int) -> PageDone:
        with page_step("rendering"):
            page = await self.document.render(number, self.options.dpi or DEFAULT_DPI)
        if isinstance(page, FailedPage):
            return PageDone(ParsedPage(number, 0, 0, 0, (), page.failure))
        try:
            with page_step("layout"):
                layout = await self.layout.analyze(
                    page.pixels, skip_orientation=self.options.skip_orientation
                )
        except StageUnavailable:
            raise
        except ArcscribeError as error:
            height, width = page.pixels.shape[:2]
            failure = PageFailure(error.reason, "the layout stage could not analyse this page")
            return PageDone(ParsedPage(number, width, height, 0, (), failure))
        upright = _upright(page.pixels, layout)
        current_span().annotate(width=layout.width, height=layout.height, regions=len(layout.regions))
        blocks, timings = await self._blocks(number, upright, layout)
        return await asyncio.to_thread(_page_done, number, upright, layout, blocks, timings, self.options)

    async def _blocks(
        self, number: int, upright: RgbImage, layout: PageLayout
    ) -> tuple[tuple[Block, ...], Timings]:
        if self.options.layout_only:
            return unread(layout), ()
        return await self._read_regions(number, upright, layout)

    async def _read_regions(
        self, number: int, upright: RgbImage, layout: PageLayout
    ) -> tuple[tuple[Block, ...], Timings]:
        """The page's blocks, and how long its drafts and its texts took."""
        started = time.perf_counter()
        regions = {region.id: (order, region) for order, region in enumerate(layout.regions, start=1)}
        crops, failures = crop_regions(upright, layout.regions, self.options.recognize)
        results: dict[int, RegionText | RegionFailure] = dict(failures)
        shown_at: dict[int, float] = {}
        async with (
            self.drafts.of(crops) as drafts,
            aclosing(self.vlm.recognize(crops, drafts.of_crops)) as answers,
        ):
            async for region_id, told in answers:
                key = (number, region_id)
                order, region = regions[region_id]
                if isinstance(told, PartialText):
                    now = time.monotonic()
                    if now - shown_at.get(region_id, 0.0) >= PARTIAL_SECONDS:
                        shown_at[region_id] = now
                        self.events.show(key, RegionPartial(number, region_id, order, told.text))
                    continue
                result = placed_on_page(upright, region, told) if isinstance(told, RegionText) else told
                results[region_id] = result
                await self.events.put(RegionDone(number, Block(region, result)), ends=key)
        blocks = tuple(Block(region, results[region.id]) for region in layout.regions)
        reading = 1000 * (time.perf_counter() - started)
        return blocks, (*drafts.timings, ("reading", reading))


def _upright(pixels: RgbImage, layout: PageLayout) -> RgbImage:
    """The page that the layout's coordinates are of."""
    return turn_upright(pixels, layout.rotation) if layout.unwarped is None else layout.unwarped


def _page_done(
    number: int,
    upright: RgbImage,
    layout: PageLayout,
    blocks: tuple[Block, ...],
    timings: Timings,
    options: ParseOptions,
) -> PageDone:
    pictures: tuple[Picture, ...] = ()
    if not options.layout_only:
        blocks, pictures = cut_pictures(number, upright, blocks)
    drawn = draw_overlay(upright, tuple(block.region for block in blocks)) if options.overlays else b""
    page = ParsedPage(
        number,
        layout.width,
        layout.height,
        layout.rotation,
        blocks,
        layout_model=layout.model,
        timings_ms=layout.timings_ms + timings,
    )
    return PageDone(page, pictures, drawn)
