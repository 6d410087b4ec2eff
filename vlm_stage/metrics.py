"""The VLM stage's own metrics; those of every process are in `arcscribe.rpc.metrics`.

What changes at each step of an engine is read when the metrics are, so that an engine's thread does no more
for them than to count.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from prometheus_client import REGISTRY, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from arcscribe.rpc.metrics import FAILURES, SECONDS
from arcscribe.types import RegionFailure, RegionKind, RegionText
from vlm_stage.engines.engine_load import EngineLoad

CROPS = Counter("arcscribe_vlm_crops", "Crops that were answered", ["kind", "engine", "outcome"])
CROP_SECONDS = Histogram(
    "arcscribe_vlm_crop_seconds",
    "How long answered crops took, with the waiting in the engine",
    ["engine"],
    buckets=SECONDS,
)
TOKENS = Counter(
    "arcscribe_vlm_tokens",
    "Tokens of answered crops: of prompts, generated, and of these those that a draft foretold",
    ["engine", "tokens"],
)
BATCH_BOUNDS = (1, 2, 4, 8, 16, 32, 64)

Loads = Callable[[], Sequence[EngineLoad]]


def count_crop(kind: RegionKind, result: RegionText | RegionFailure, seconds: float) -> None:
    """Counts an answer that came so long after the crop."""
    if isinstance(result, RegionFailure):
        CROPS.labels(kind.value, "", "failed").inc()
        FAILURES.labels("crop", result.reason).inc()
        return
    CROPS.labels(kind.value, result.engine, result.finish_reason.value).inc()
    CROP_SECONDS.labels(result.engine).observe(seconds)
    if result.prompt_tokens:
        TOKENS.labels(result.engine, "prompt").inc(result.prompt_tokens)
        TOKENS.labels(result.engine, "generated").inc(result.generated_tokens)
        TOKENS.labels(result.engine, "draft").inc(result.draft_tokens)


class EngineMetrics(Collector):
    """What the process's engine says of itself; nothing until it is loaded."""

    def __init__(self) -> None:
        self.loads: Loads = tuple

    def collect(self) -> Iterator[Metric]:
        loads = self.loads()
        yield from (_gauge(name, help_text, loads, value) for name, help_text, value in _GAUGES)
        preemptions = CounterMetricFamily(
            "arcscribe_vlm_preemptions", "Times that a crop lost its KV blocks to others", labels=["device"]
        )
        batches = HistogramMetricFamily(
            "arcscribe_vlm_batch_size", "Crops (with PP-OCR: lines) of one inference", labels=["device"]
        )
        for load in loads:
            preemptions.add_metric([load.device], load.preemptions)
            batches.add_metric([load.device], *_buckets(load.batches))
        yield preemptions
        yield batches


_GAUGES: tuple[tuple[str, str, Callable[[EngineLoad], int]], ...] = (
    ("arcscribe_vlm_crops_waiting", "Crops that wait for the engine", lambda load: load.waiting),
    ("arcscribe_vlm_crops_in_work", "Crops that the engine reads", lambda load: load.in_work),
    ("arcscribe_vlm_kv_blocks", "Blocks of the KV cache", lambda load: load.kv_blocks),
    ("arcscribe_vlm_kv_blocks_used", "Blocks that crops hold", lambda load: load.kv_blocks_used),
)


def _gauge(
    name: str, help_text: str, loads: Sequence[EngineLoad], value: Callable[[EngineLoad], int]
) -> GaugeMetricFamily:
    gauge = GaugeMetricFamily(name, help_text, labels=["device"])
    for load in loads:
        gauge.add_metric([load.device], value(load))
    return gauge


def _buckets(counts: Sequence[int]) -> tuple[list[tuple[str, float]], float]:
    """A histogram's buckets and its sum, from the number of batches of each size."""
    totals = list(accumulate(counts)) or [0]
    buckets = [(str(float(bound)), float(totals[min(bound, len(totals) - 1)])) for bound in BATCH_BOUNDS]
    return [*buckets, ("+Inf", float(totals[-1]))], float(sum(n * count for n, count in enumerate(counts)))


ENGINE = EngineMetrics()
REGISTRY.register(ENGINE)
