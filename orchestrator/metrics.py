"""The orchestrator's own metrics; those of every process are in `arcscribe.rpc.metrics`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from prometheus_client import REGISTRY, Counter, Gauge, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

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

STAGE_BREAKS = Counter("arcscribe_stage_breaks", "Calls in whose middle a stage broke off", ["stage"])


class Member(Protocol):
    """One process of a stage, as the orchestrator sees it."""

    @property
    def address(self) -> str: ...

    @property
    def is_ready(self) -> bool:
        """Whether it takes work."""
        ...

    @property
    def load(self) -> int:
        """Pages or crops that it has in work."""
        ...


class StageMetrics(Collector):
    """What there is to tell of each stage's processes; which those are may change."""

    def __init__(self) -> None:
        self._members: dict[str, Callable[[], Sequence[Member]]] = {}

    def watch(self, stage: str, members: Callable[[], Sequence[Member]]) -> None:
        """Tells of a stage's processes from now on; `members` is called from other threads."""
        self._members[stage] = members

    def collect(self) -> Iterator[Metric]:
        labels = ["stage", "address"]
        serving = GaugeMetricFamily(
            "arcscribe_stage_serving",
            "Whether a stage takes work, as the orchestrator sees it",
            labels=labels,
        )
        in_work = GaugeMetricFamily(
            "arcscribe_stage_in_work",
            "Pages or crops that a stage was sent and has not answered",
            labels=labels,
        )
        for stage, members in tuple(self._members.items()):
            for member in members():
                serving.add_metric([stage, member.address], member.is_ready)
                in_work.add_metric([stage, member.address], member.load)
        yield serving
        yield in_work


STAGES = StageMetrics()
REGISTRY.register(STAGES)

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
