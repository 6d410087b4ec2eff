"""The orchestrator's own metrics; those of every process are in `arcscribe.rpc.metrics`."""

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import Counter, Gauge, Histogram

from arcscribe.document import ParsedPage
from arcscribe.rpc.metrics import FAILURES, SECONDS
from arcscribe.rpc.traces import span
from arcscribe.types import Block, RegionFailure

DOCUMENTS_IN_WORK = Gauge("arcscribe_documents_in_work", "Documents in work, those that arrive included")
DOCUMENTS_LIMIT = Gauge("arcscribe_documents_limit", "Documents that may be in work: max_documents")
PAGES_IN_WORK = Gauge("arcscribe_pages_in_work", "Pages in work, in the windows of all documents")
PAGES = Counter("arcscribe_pages", "Pages that are done, or have failed", ["outcome"])
REGIONS = Counter(
    "arcscribe_regions",
    "Regions of pages that are done, by what became of them",
    ["kind", "engine", "outcome"],
)
PAGE_STEP_SECONDS = Histogram(
    "arcscribe_page_step_seconds",
    "How long the steps of a page took, with the waiting in them",
    ["step"],
    buckets=SECONDS,
)
PAGE_WORKERS_WAITED_FOR = Gauge(
    "arcscribe_page_workers_waited_for", "Requests that wait for a process that decodes documents"
)
PAGE_WORKER_RESTARTS = Counter(
    "arcscribe_page_worker_restarts", "Processes that decode documents and were replaced", ["cause"]
)

STAGE_SERVING = Gauge(
    "arcscribe_stage_serving", "Whether a stage takes work, as the orchestrator sees it", ["stage", "address"]
)
STAGE_IN_WORK = Gauge(
    "arcscribe_stage_in_work", "Pages or crops that were sent to a stage and wait", ["stage", "address"]
)
STAGE_BREAKS = Counter("arcscribe_stage_breaks", "Calls in whose middle a stage broke off", ["stage"])
STAGE_HEDGES = Counter(
    "arcscribe_stage_hedges", "Crops sent to a second stage, the first being slow", ["stage"]
)


_OWN_STEPS = frozenset({"drafts", "reading"})
"""Of a page's timings, those that are not the layout stage's."""


@contextmanager
def page_step(name: str) -> Iterator[None]:
    """A step of a page, which is timed, and has a span."""
    with span(name), PAGE_STEP_SECONDS.labels(name).time():
        yield


def count_page(page: ParsedPage) -> None:
    """Counts a page, and each of its regions."""
    if page.failure:
        PAGES.labels("failed").inc()
        FAILURES.labels("page", page.failure.reason).inc()
        return
    PAGES.labels("done").inc()
    for step, milliseconds in page.timings_ms:
        if step in _OWN_STEPS:
            PAGE_STEP_SECONDS.labels(step).observe(milliseconds / 1000)
    for block in page.blocks:
        _count_region(block)


def _count_region(block: Block) -> None:
    kind, result = block.region.kind.value, block.result
    if isinstance(result, RegionFailure):
        REGIONS.labels(kind, "", "failed").inc()
        FAILURES.labels("region", result.reason).inc()
    else:
        REGIONS.labels(kind, result.engine, result.finish_reason.value).inc()
