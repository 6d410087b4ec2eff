"""What the orchestrator counts of pages, regions and the processes that it uses."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from prometheus_client import REGISTRY

from arcscribe.document import PageFailure, ParsedPage
from arcscribe.types import RegionFailure, RegionKind
from orchestrator import metrics
from tests.orchestrator.builders import block


def value(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, labels)


def count(name: str, **labels: str) -> float:
    return value(name, **labels) or 0.0


def test_a_page_is_counted_with_its_regions_and_the_orchestrators_own_steps() -> None:
    def counts() -> list[float]:
        return [
            count("arcscribe_pages_total", outcome="done"),
            count("arcscribe_regions_total", kind="seal", engine="e", outcome="stop"),
            count("arcscribe_regions_total", kind="table", engine="", outcome="failed"),
            count("arcscribe_failures_total", what="region", reason="STAGE_TIMEOUT"),
            count("arcscribe_page_step_seconds_count", step="reading"),
            count("arcscribe_page_step_seconds_sum", step="reading"),
            count("arcscribe_page_step_seconds_count", step="fusion"),
        ]

    before = counts()
    blocks = (
        block("a", RegionKind.SEAL),
        block("b", RegionKind.SEAL),
        block(kind=RegionKind.TABLE, result=RegionFailure("STAGE_TIMEOUT", "it took too long")),
    )
    timings = (("fusion", 100.0), ("reading", 1500.0))
    metrics.count_page(ParsedPage(1, 10, 10, 0, blocks, timings_ms=timings))
    assert [now - then for now, then in zip(counts(), before, strict=True)] == [1, 2, 1, 1, 1, 1.5, 0]


def test_a_page_that_failed_is_counted_by_its_reason() -> None:
    def counts() -> list[float]:
        return [
            count("arcscribe_pages_total", outcome="failed"),
            count("arcscribe_pages_total", outcome="done"),
            count("arcscribe_failures_total", what="page", reason="TOO_LARGE"),
        ]

    before = counts()
    metrics.count_page(ParsedPage(1, 0, 0, 0, (), PageFailure("TOO_LARGE", "it is too large")))
    assert [now - then for now, then in zip(counts(), before, strict=True)] == [1, 0, 1]


@dataclass
class Process:
    address: str
    is_ready: bool
    load: int


@pytest.fixture
def stages() -> Iterator[metrics.StageMetrics]:
    """Stages of the test's own, which the registry asks for as long as it lasts."""
    known = dict(metrics.STAGES._members)
    metrics.STAGES._members.clear()
    yield metrics.STAGES
    metrics.STAGES._members.clear()
    metrics.STAGES._members.update(known)


def test_a_stages_processes_are_told_as_they_are_when_asked(stages: metrics.StageMetrics) -> None:
    members = [Process("a:1", True, 3), Process("b:1", False, 0)]
    stages.watch("vlm", lambda: tuple(members))
    assert value("arcscribe_stage_serving", stage="vlm", address="a:1") == 1
    assert value("arcscribe_stage_serving", stage="vlm", address="b:1") == 0
    assert value("arcscribe_stage_in_work", stage="vlm", address="a:1") == 3
    del members[0]
    assert value("arcscribe_stage_serving", stage="vlm", address="a:1") is None
