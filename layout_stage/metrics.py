"""The layout stage's own metrics; those of every process are in `arcscribe.rpc.metrics`."""

from prometheus_client import Gauge, Histogram

from arcscribe.rpc.metrics import SECONDS
from arcscribe.types import PageLayout

PAGES_HELD = Gauge("arcscribe_layout_pages_held", "Pages that are analysed or wait for it")
PAGES_LIMIT = Gauge("arcscribe_layout_pages_limit", "Pages that may be held: max_waiting and one more")
STEP_SECONDS = Histogram(
    "arcscribe_layout_step_seconds", "How long the steps of an analysis took", ["step"], buckets=SECONDS
)


def observe_steps(layout: PageLayout) -> None:
    """Observes the time of each step of a page."""
    for step, milliseconds in layout.timings_ms:
        STEP_SECONDS.labels(step).observe(milliseconds / 1000)
