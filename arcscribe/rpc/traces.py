"""Spans of a document's work, in all three processes: OpenTelemetry's, where traces are configured.

The span in work is in a context variable, so that tasks, and threads that are run in a copy of the context,
continue it. Without traces there is none, and what is asked for here does nothing. Attributes are numbers,
kinds and names of our own, never what a document says.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from arcscribe.errors import ArcscribeError

Attribute = str | int | float | bool
Metadata = Sequence[tuple[str, str | bytes]]


class Span:
    """One piece of work, until it ends; of the root of a process, none, and only where spans go.

    For any thread. `tracer` is OpenTelemetry's, None without traces; `span` is one of it.
    """

    __slots__ = ("_span", "_tracer")

    def __init__(self, tracer: Any = None, span: Any = None) -> None:
        self._tracer, self._span = tracer, span

    @property
    def is_on(self) -> bool:
        """Whether traces are configured."""
        return self._tracer is not None

    def child(self, name: str, **attributes: Attribute) -> "Span":
        """A span within this one, which begins now."""
        if self._tracer is None:
            return OFF
        return Span(self._tracer, self._tracer.start_span(name, self._context(), attributes=attributes))

    def continued(self, name: str, metadata: Metadata, **attributes: Attribute) -> "Span":
        """A span within the one that a caller's metadata tell of, or the first of a trace."""
        if self._tracer is None:
            return OFF
        context = _propagator().extract({key: value for key, value in metadata if isinstance(value, str)})
        return Span(self._tracer, self._tracer.start_span(name, context, attributes=attributes))

    def annotate(self, **attributes: Attribute) -> None:
        """Adds attributes."""
        if self._span is not None:
            self._span.set_attributes(attributes)

    def end(self, error: str = "") -> None:
        """Ends it, as failed where there is an error's reason; a second time does nothing."""
        if self._span is not None and self._span.is_recording():
            if error:
                from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415

                self._span.set_status(Status(StatusCode.ERROR, error))
            self._span.end()

    def __enter__(self) -> "Span":
        return self

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        """Ends it, as failed where the body did."""
        failed = type(error).__name__ if error else ""
        self.end(error.reason if isinstance(error, ArcscribeError) else failed)

    @contextmanager
    def current(self) -> Iterator[None]:
        """Makes it the span in work."""
        token = _current.set(self)
        try:
            yield
        finally:
            with suppress(ValueError):  # a generator that is closed by another task has another context
                _current.reset(token)

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What tells another process of it: W3C's `traceparent`."""
        if self._span is None:
            return ()
        carrier: dict[str, str] = {}
        _propagator().inject(carrier, self._context())
        return tuple(carrier.items())

    def link(self) -> Any:
        """What lets a batch name it."""
        from opentelemetry.trace import Link  # noqa: PLC0415

        return Link(self._span.get_span_context())

    def batch(self, name: str, of: Sequence["Span"], attributes: Mapping[str, Attribute]) -> "Span":
        """A trace of its own, that names the spans it works for, in the manner of OpenTelemetry's batches."""
        if self._tracer is None:
            return OFF
        from opentelemetry.context import Context  # noqa: PLC0415

        links = [span.link() for span in of if span._span is not None]
        own = self._tracer.start_span(name, Context(), attributes=attributes, links=links)
        return Span(self._tracer, own)

    def _context(self) -> Any:
        if self._span is None:
            return None
        from opentelemetry.trace import set_span_in_context  # noqa: PLC0415

        return set_span_in_context(self._span)


OFF = Span()
"""What there is without traces."""

_current: ContextVar[Span] = ContextVar("arcscribe_span", default=OFF)


def current_span() -> Span:
    """The span in work."""
    return _current.get()


@contextmanager
def span(name: str, **attributes: Attribute) -> Iterator[Span]:
    """A span within the one in work, which takes its place for as long as the context lasts."""
    parent = _current.get()
    if not parent.is_on:
        yield OFF
        return
    with parent.child(name, **attributes) as own, own.current():
        yield own


def batch_span(name: str, of: Sequence[Span], **attributes: Attribute) -> Span:
    """A span of the work that an engine does for several crops at once; `of` are theirs."""
    first = next((span for span in of if span.is_on), OFF)
    return first.batch(name, of, attributes)


def _propagator() -> Any:
    from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415
        TraceContextTextMapPropagator,
    )

    return TraceContextTextMapPropagator()
