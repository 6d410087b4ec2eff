"""The time that a caller gives, which goes on with the work to the stages."""

import time
from contextvars import ContextVar

_END: ContextVar[float | None] = ContextVar("deadline", default=None)


def bind_deadline(seconds: float | None) -> None:
    """Says how long the call in work may still take; None: as long as it likes."""
    _END.set(None if seconds is None else time.monotonic() + seconds)


def time_left(seconds: float) -> float:
    """So many seconds, or what the caller still gives, if that is less; at least 0."""
    end = _END.get()
    return seconds if end is None else max(0.0, min(seconds, end - time.monotonic()))
