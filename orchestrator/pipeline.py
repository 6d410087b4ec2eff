"""The path of a document: bytes -> pages -> blocks -> Markdown. Events tell of it on the way."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial

from arcscribe.document import Document, ParsedPage, PictureMode
from arcscribe.errors import InvalidOption
from arcscribe.events import (
    DocumentDone,
    DocumentOpened,
    PageDone,
    ParseEvent,
    ParseOptions,
    Picture,
    Progress,
    RegionDone,
    RegionPartial,
)
from arcscribe.turns import Turns
from orchestrator.assemble import assemble
from orchestrator.drafts import DocumentDrafts
from orchestrator.page_reader import PageEvents, PageReader
from orchestrator.pages.open_document import OpenDocument
from orchestrator.pages.source import PageSource
from orchestrator.stages.draft import DraftStage
from orchestrator.stages.layout import LayoutStage
from orchestrator.stages.vlm import VlmStage
from orchestrator.unread import unread_markdown
from orchestrator.window import run_in_window

DPI_RANGE = range(72, 601)
MOST_PAGES = 16
"""Pages of all documents in work, unless it is said."""
WAITING_EVENTS = 64
"""Events that wait for a slow reader before the document does."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What every document goes through. `window` pages of one document are in work at once.

    Without a draft stage, no crop has a draft. `places` are those for pages of all documents.
    """

    source: PageSource
    layout: LayoutStage
    vlm: VlmStage
    window: int
    drafts: DraftStage | None = None
    places: Turns = field(default_factory=lambda: Turns(MOST_PAGES, one_each=True))

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
        if options.layout_only:
            assembled = unread_markdown(parsed)
        else:
            assembled = await asyncio.to_thread(assemble, parsed, options.markdown, _by_name(pictures))
        yield DocumentDone(assembled, 1000 * (time.perf_counter() - started))

    def _page_events(
        self, document: OpenDocument, numbers: tuple[int, ...], options: ParseOptions
    ) -> AsyncGenerator[RegionPartial | RegionDone | PageDone, None]:
        events = PageEvents(WAITING_EVENTS)
        drafts = DocumentDrafts(self.drafts)
        reader = PageReader(document, self.layout, self.vlm, drafts, options, events, self.places)

        async def produce() -> None:
            try:
                jobs = (partial(reader.read, number) for number in numbers)
                async with aclosing(run_in_window(jobs, self.window)) as pages_done:
                    async for page_done in pages_done:
                        await events.put(page_done)
            finally:
                drafts.tell()

        return events.drain(produce)


def _by_name(pictures: list[Picture]) -> dict[str, bytes]:
    return {picture.name: picture.data for picture in pictures}


def _check(options: ParseOptions) -> None:
    if options.dpi and options.dpi not in DPI_RANGE:
        lowest, highest = DPI_RANGE[0], DPI_RANGE[-1]
        raise InvalidOption(f"dpi is {options.dpi}; it must be from {lowest} to {highest}", field="dpi")
