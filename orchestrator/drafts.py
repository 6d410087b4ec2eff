"""Drafts for the crops of a document: asked for beside everything else, and done without where they fail."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

import structlog

from arcscribe.errors import ArcscribeError, InferenceFailed
from arcscribe.types import Crop, RecognizeOptions, RegionKind
from orchestrator.stages.draft import DraftStage

log = structlog.get_logger()

DRAFTED_KINDS = frozenset(
    {
        RegionKind.DOC_TITLE,
        RegionKind.PARAGRAPH_TITLE,
        RegionKind.TEXT,
        RegionKind.VERTICAL_TEXT,
        RegionKind.ABSTRACT,
        RegionKind.CONTENT,
        RegionKind.REFERENCE,
        RegionKind.ALGORITHM,
        RegionKind.FIGURE_TITLE,
        RegionKind.TABLE_TITLE,
        RegionKind.CHART_TITLE,
        RegionKind.FORMULA_NUMBER,
        RegionKind.HEADER,
        RegionKind.FOOTER,
        RegionKind.NUMBER,
        RegionKind.FOOTNOTE,
        RegionKind.ASIDE_TEXT,
    }
)
"""Kinds of which PP-OCR gives the text that a VLM writes too; of tables or formulas it does not."""

Draft = asyncio.Future[str]
"""What a crop may say, once that is known; empty where there is no draft. It never fails."""


class PageDrafts:
    """The drafts of one page's crops, by their ids; crops without a draft to wait for are not in it."""

    def __init__(self, crops: Sequence[Crop]) -> None:
        loop = asyncio.get_running_loop()
        self.of_crops: Mapping[int, Draft] = {
            crop.id: loop.create_future() for crop in crops if crop.kind in DRAFTED_KINDS
        }
        self.timings: tuple[tuple[str, float], ...] = ()
        """The milliseconds from when they were asked for until all were known; nothing where none were."""

    def know(self, crop_id: int, text: str) -> None:
        """Gives a crop its draft, if it waits for one."""
        draft = self.of_crops.get(crop_id)
        if draft is not None and not draft.done():
            draft.set_result(text)

    def end(self) -> int:
        """Lets the rest go without; says how many those are."""
        rest = [draft for draft in self.of_crops.values() if not draft.done()]
        for draft in rest:
            draft.set_result("")
        return len(rest)


class DocumentDrafts:
    """Asks for the drafts of a document's pages, and counts those that could not be had."""

    def __init__(self, stage: DraftStage | None) -> None:
        """Without a stage, no crop has a draft."""
        self._stage = stage
        self._wanted = 0
        self._lacking: Counter[str] = Counter()

    @asynccontextmanager
    async def of(self, crops: Sequence[Crop]) -> AsyncIterator[PageDrafts]:
        """The drafts of a page's crops, which come while the body runs."""
        drafts = PageDrafts(crops if self._stage else ())
        if self._stage is None or not drafts.of_crops:
            yield drafts
            return
        wanted = [replace(crop, options=RecognizeOptions()) for crop in crops if crop.id in drafts.of_crops]
        task = asyncio.create_task(self._ask(self._stage, wanted, drafts))
        try:
            yield drafts
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            drafts.end()

    def tell(self) -> None:
        """Logs, if it happened, how many crops went without a draft, and why."""
        if self._lacking:
            lacking = self._lacking.total()
            log.warning("drafts lacking", wanted=self._wanted, lacking=lacking, reasons=dict(self._lacking))

    async def _ask(self, stage: DraftStage, crops: Sequence[Crop], drafts: PageDrafts) -> None:
        started = time.perf_counter()
        reason = "NOT_READ"
        try:
            async with aclosing(stage.read(crops)) as texts:
                async for crop_id, text in texts:
                    drafts.know(crop_id, text)
        except ArcscribeError as error:
            reason = error.reason
        except Exception:
            log.exception("drafts failed")
            reason = InferenceFailed.reason
        lacking = drafts.end()
        drafts.timings = (("drafts", 1000 * (time.perf_counter() - started)),)
        self._wanted += len(crops)
        if lacking:
            self._lacking[reason] += lacking
