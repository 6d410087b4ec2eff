"""The path of a document: bytes -> pages -> regions -> crops -> texts -> blocks -> Markdown.

Events tell of it on the way.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import structlog

from arcscribe.document import Document, PageFailure, ParsedPage, PictureMode
from arcscribe.errors import ArcscribeError, InferenceFailed, InvalidOption, StageUnavailable
from arcscribe.events import (
    DocumentDone,
    DocumentOpened,
    PageDone,
    ParseEvent,
    ParseOptions,
    Picture,
    Progress,
    RegionDone,
)
from arcscribe.geometry import turn_upright
from arcscribe.rpc.status import OPAQUE_MESSAGE
from arcscribe.types import Block, PageLayout, Region, RegionFailure, RegionText, RgbImage
from orchestrator.assemble import assemble
from orchestrator.crops import crop_regions
from orchestrator.overlay import draw_overlay
from orchestrator.pages.limits import DEFAULT_DPI
from orchestrator.pages.open_document import FailedPage, OpenDocument
from orchestrator.pages.source import PageSource
from orchestrator.pictures import cut_pictures
from orchestrator.stages.layout import LayoutStage
from orchestrator.stages.vlm import VlmStage
from orchestrator.window import EventQueue, run_in_window

log = structlog.get_logger()

DPI_RANGE = range(72, 601)
WAITING_EVENTS = 64
"""Events that wait for a slow reader before the document does."""

PageEvents = EventQueue[RegionDone | PageDone]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What every document goes through. `window` pages of one document are in work at once."""

    source: PageSource
    layout: LayoutStage
    vlm: VlmStage
    window: int

    async def parse(
        self, data: bytes, name: str, options: ParseOptions, request_id: str
    ) -> AsyncGenerator[ParseEvent, None]:
        """The events of a document; close it, if you leave it early, and nothing of it stays in work.

        Raises:
            InvalidDocument, TooLarge, PasswordRequired, InvalidOption: as the page source says.
            StageUnavailable: a stage cannot be reached.
        """
        started = time.perf_counter()
        _check(options)
        inline = options.markdown.picture_mode is PictureMode.INLINE
        async with self.source.open(data, name=name, password=options.password) as document:
            del data
            numbers = document.select(options.pages)
            yield DocumentOpened(document.format.media_type, document.page_count, len(numbers), request_id)
            pages: list[ParsedPage] = []
            pictures: list[Picture] = []
            regions_done = 0
            async with aclosing(self._page_events(document, numbers, options)) as events:
                async for event in events:
                    yield event
                    if isinstance(event, PageDone):
                        pages.append(event.page)
                        pictures += event.pictures if inline else ()
                        regions_done += len(event.page.blocks)
                        yield Progress(len(pages), len(numbers), regions_done)
        parsed = Document(name, document.page_count, tuple(pages))
        markdown = await asyncio.to_thread(assemble, parsed, options.markdown, _by_name(pictures))
        yield DocumentDone(markdown, 1000 * (time.perf_counter() - started))

    def _page_events(
        self, document: OpenDocument, numbers: tuple[int, ...], options: ParseOptions
    ) -> AsyncGenerator[RegionDone | PageDone, None]:
        queue = PageEvents(WAITING_EVENTS)

        async def produce() -> None:
            jobs = (lambda n=number: self._parse_page(document, n, options, queue) for number in numbers)
            async with aclosing(run_in_window(jobs, self.window)) as pages_done:
                async for page_done in pages_done:
                    await queue.put(page_done)

        return queue.drain(produce)

    async def _parse_page(
        self, document: OpenDocument, number: int, options: ParseOptions, queue: PageEvents
    ) -> PageDone:
        try:
            return await self._page(document, number, options, queue)
        except StageUnavailable:
            raise
        except Exception:
            log.exception("page failed", page=number)
            failure = PageFailure(InferenceFailed.reason, OPAQUE_MESSAGE)
            return PageDone(ParsedPage(number, 0, 0, 0, (), failure))

    async def _page(
        self, document: OpenDocument, number: int, options: ParseOptions, queue: PageEvents
    ) -> PageDone:
        page = await document.render(number, options.dpi or DEFAULT_DPI)
        if isinstance(page, FailedPage):
            return PageDone(ParsedPage(number, 0, 0, 0, (), page.failure))
        try:
            layout = await self.layout.analyze(page.pixels, skip_orientation=options.skip_orientation)
        except StageUnavailable:
            raise
        except ArcscribeError as error:
            height, width = page.pixels.shape[:2]
            failure = PageFailure(error.reason, "the layout stage could not analyse this page")
            return PageDone(ParsedPage(number, width, height, 0, (), failure))
        upright = turn_upright(page.pixels, layout.rotation)
        blocks = await self._read_regions(number, upright, layout, options, queue)
        return await asyncio.to_thread(_page_done, number, upright, layout, blocks, options)

    async def _read_regions(
        self, number: int, upright: RgbImage, layout: PageLayout, options: ParseOptions, queue: PageEvents
    ) -> tuple[Block, ...]:
        regions = {region.id: region for region in layout.regions}
        crops, failures = crop_regions(upright, layout.regions, options.recognize)
        results: dict[int, RegionText | RegionFailure] = dict(failures)
        async with aclosing(self.vlm.recognize(crops)) as answers:
            async for region_id, result in answers:
                results[region_id] = result
                await queue.put(RegionDone(number, Block(regions[region_id], result)))
        return tuple(Block(region, results[region.id]) for region in layout.regions)


def _page_done(
    number: int, upright: RgbImage, layout: PageLayout, blocks: tuple[Block, ...], options: ParseOptions
) -> PageDone:
    blocks, pictures = cut_pictures(number, upright, blocks)
    overlay = draw_overlay(upright, _regions(blocks)) if options.overlays else b""
    page = ParsedPage(
        number,
        layout.width,
        layout.height,
        layout.rotation,
        blocks,
        layout_model=layout.model,
        timings_ms=layout.timings_ms,
    )
    return PageDone(page, pictures, overlay)


def _regions(blocks: tuple[Block, ...]) -> tuple[Region, ...]:
    return tuple(block.region for block in blocks)


def _by_name(pictures: list[Picture]) -> dict[str, bytes]:
    return {picture.name: picture.data for picture in pictures}


def _check(options: ParseOptions) -> None:
    if options.dpi and options.dpi not in DPI_RANGE:
        lowest, highest = DPI_RANGE[0], DPI_RANGE[-1]
        raise InvalidOption(f"dpi is {options.dpi}; it must be from {lowest} to {highest}", field="dpi")
