"""The metrics that all three processes have; each process's own are in its `metrics` module.

All are in prometheus_client's default registry, beside the memory, CPU time and garbage collection of the
process. Labels are few and known: methods, statuses, reasons, never anything of a document.
"""

import msgspec
from prometheus_client import Counter, Gauge, Histogram, Info, disable_created_metrics

from arcscribe.types import StageModel

# A sample more for each, which says when counting began.
disable_created_metrics()  # type: ignore[no-untyped-call]

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)
"""Bounds of buckets: from an empty region to a long document on a CPU."""

BUILD = Info("arcscribe_build", "What runs here: version, process, engine, model and device")
REQUESTS = Counter("arcscribe_requests", "Calls that have ended, by their status", ["method", "code"])
REQUEST_SECONDS = Histogram("arcscribe_request_seconds", "How long calls took", ["method"], buckets=SECONDS)
REQUESTS_IN_WORK = Gauge("arcscribe_requests_in_work", "Calls that have not ended", ["method"])
FAILURES = Counter(
    "arcscribe_failures", "What failed, by its reason in the table of errors", ["what", "reason"]
)
"""`what` is a call, a page, a region, or a crop (which is what the VLM stage has of a region)."""


class MetricsSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the metrics are served; nowhere without an address."""

    listen: str = ""


def describe(process: str, model: StageModel | None = None) -> None:
    """Says what runs here; what has no model has empty words for it."""
    from importlib.metadata import version  # noqa: PLC0415  # 20 ms, and once in a process

    engine, name, device = (model.engine, model.name, model.device) if model else ("", "", "")
    BUILD.info(
        {
            "version": version("arcscribe"),
            "process": process,
            "engine": engine,
            "model": name,
            "device": device,
        }
    )
