"""What the VLM stage counts of crops, and reads of its engine."""

from collections.abc import Iterator, Mapping

import pytest
from prometheus_client import REGISTRY

from arcscribe.types import FinishReason, RegionFailure, RegionKind, RegionText, TextFormat
from vlm_stage import metrics
from vlm_stage.engines.engine_load import BatchCounts, EngineLoad


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


@pytest.fixture
def engine() -> Iterator[metrics.EngineMetrics]:
    """What the registry asks, with an engine of the test's for as long as that lasts."""
    before = metrics.ENGINE.loads
    yield metrics.ENGINE
    metrics.ENGINE.loads = before


def test_an_answer_is_counted_with_its_tokens_and_time() -> None:
    labels = {"kind": "table", "engine": "test", "outcome": "length"}
    result = RegionText(
        "", TextFormat.HTML, FinishReason.LENGTH, "test", "m", 1.0, None, 30, 20, draft_tokens=5
    )
    metrics.count_crop(RegionKind.TABLE, result, 2.5)
    assert value("arcscribe_vlm_crops_total", **labels) == 1
    assert value("arcscribe_vlm_crop_seconds_sum", engine="test") == 2.5
    tokens = {
        kind: value("arcscribe_vlm_tokens_total", engine="test", tokens=kind)
        for kind in ("prompt", "generated", "draft")
    }
    assert tokens == {"prompt": 30, "generated": 20, "draft": 5}


def test_a_failure_is_counted_by_its_reason() -> None:
    def counts() -> tuple[float, float]:
        return (
            value("arcscribe_vlm_crops_total", kind="seal", engine="", outcome="failed"),
            value("arcscribe_failures_total", what="crop", reason="TOO_LARGE"),
        )

    crops, failures = counts()
    metrics.count_crop(RegionKind.SEAL, RegionFailure("TOO_LARGE", "it is too large"), 1.0)
    assert counts() == (crops + 1, failures + 1)


def test_what_the_engine_says_is_read_when_it_is_asked_for(engine: metrics.EngineMetrics) -> None:
    batches = BatchCounts(16)
    for size in (1, 1, 3, 16, 20):
        batches.add(size)
    engine.loads = lambda: [EngineLoad("GPU.0", 7, 5, batches.by_size, 100, 60, 2), EngineLoad("GPU.1", 0, 0)]
    expected: Mapping[str, float] = {
        "arcscribe_vlm_crops_waiting": 7,
        "arcscribe_vlm_crops_in_work": 5,
        "arcscribe_vlm_kv_blocks": 100,
        "arcscribe_vlm_kv_blocks_used": 60,
        "arcscribe_vlm_preemptions_total": 2,
        "arcscribe_vlm_batch_size_count": 5,
        "arcscribe_vlm_batch_size_sum": 1 + 1 + 3 + 16 + 16,
    }
    assert {name: value(name, device="GPU.0") for name in expected} == expected
    buckets = {
        bound: value("arcscribe_vlm_batch_size_bucket", device="GPU.0", le=bound)
        for bound in ("1.0", "2.0", "4.0", "16.0", "64.0", "+Inf")
    }
    assert buckets == {"1.0": 2, "2.0": 2, "4.0": 3, "16.0": 5, "64.0": 5, "+Inf": 5}
    assert value("arcscribe_vlm_batch_size_count", device="GPU.1") == 0
