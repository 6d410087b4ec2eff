"""Where spans go: an OTLP collector, through OpenTelemetry's SDK, which is an extra."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec

from arcscribe.errors import InvalidConfig
from arcscribe.rpc.traces import OFF, Span

FLUSH_SECONDS = 2.0
"""How long the end of a process may wait for the collector."""
_SCHEMES = ("http", "https")


class TracesSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which collector is told of what share of the documents; none without an endpoint."""

    endpoint: str = ""
    """OTLP over HTTP, such as `http://collector:4318`."""
    share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    """Of the documents; one whose caller traces it is as the caller says."""


@contextmanager
def exporting(process: str, settings: TracesSettings) -> Iterator[Span]:
    """The root of the process's spans, which is current, until what is left of them has been sent.

    Raises:
        InvalidConfig: traces are configured, but the packages are absent, or the endpoint is no address.
    """
    if not settings.endpoint:
        yield OFF
        return
    provider = _provider(process, settings)
    root = root_of(provider)
    try:
        with root.current():
            yield root
    finally:
        # The SDK's own limit of time does not count the exporter's.
        flushing = threading.Thread(target=provider.force_flush, name="flush", daemon=True)
        flushing.start()
        flushing.join(FLUSH_SECONDS)


def root_of(provider: Any) -> Span:
    """The root of spans that go to a provider of OpenTelemetry's SDK."""
    return Span(provider.get_tracer("arcscribe"))


def _provider(process: str, settings: TracesSettings) -> Any:
    endpoint = _endpoint(settings.endpoint)
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
        from opentelemetry.sdk.trace.sampling import ParentBasedTraceIdRatio  # noqa: PLC0415
    except ImportError as error:
        raise InvalidConfig(
            f"[traces] endpoint is set, but OpenTelemetry is not here ({error}); "
            "run: pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http, or leave it empty"
        ) from error
    provider = TracerProvider(
        sampler=ParentBasedTraceIdRatio(settings.share),
        resource=Resource.create({"service.name": process, "service.namespace": "arcscribe"}),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, timeout=5)))
    return provider


def _endpoint(text: str) -> str:
    """The whole address: one without a path gets the usual one."""
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in _SCHEMES and parts.hostname and parts.port != 0
    except ValueError:  # brackets that do not close, or a port that is none
        is_address = False
    if not is_address:
        raise InvalidConfig(f"[traces] endpoint is {text!r}; it must be such as http://collector:4318")
    return text if parts.path.strip("/") else text.rstrip("/") + "/v1/traces"
