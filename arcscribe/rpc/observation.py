"""What lets others see how a process is doing: its metrics, and its traces."""

from collections.abc import Iterator
from contextlib import contextmanager

from arcscribe.rpc.metrics import MetricsSettings, describe
from arcscribe.rpc.metrics_server import serving_metrics
from arcscribe.rpc.trace_export import TracesSettings, exporting
from arcscribe.types import StageModel


@contextmanager
def observed(
    process: str, metrics: MetricsSettings, traces: TracesSettings, model: StageModel | None = None
) -> Iterator[None]:
    """Serves metrics and exports spans for as long as the context lasts; each only where it is configured.

    Raises:
        AddressInUse: the metrics' address cannot be had.
        InvalidConfig: traces are configured that cannot be exported.
    """
    describe(process, model)
    with exporting(process, traces), serving_metrics(metrics.listen):
        yield
