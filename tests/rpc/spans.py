"""Spans that a test can look at."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from arcscribe.rpc.trace_export import root_of


class Collector:
    """Takes the spans of all processes."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()

    @contextmanager
    def process(self) -> Iterator[None]:
        """A process whose spans come here is started within."""
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        with root_of(provider).current():
            yield

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        """Those that have ended."""
        return self._exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]

    def path(self, span: ReadableSpan) -> list[str]:
        """Its name and those of the spans it is in, outermost first."""
        by_id = {other.context.span_id: other for other in self.spans if other.context}
        names = [span.name]
        while span.parent is not None and span.parent.span_id in by_id:
            span = by_id[span.parent.span_id]
            names.insert(0, span.name)
        return names
