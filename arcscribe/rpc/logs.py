"""Logs of the processes: JSON lines on the standard error stream, with the request id.

Text of documents is never logged, nor their names; what is logged is JSON in ASCII, one object a line.
"""

import logging
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

import structlog
from structlog.typing import ExcInfo

from arcscribe.rpc.library_logs import take_over_library_logs, unquoted_exceptions

REQUEST_ID_KEY = "x-request-id"
"""The metadata key under which a request id travels through all stages."""

MAX_REQUEST_ID = 64


def configure_logs(process: str, level: str = "info") -> None:
    """Sends structlog to the standard error stream, one JSON object a line, each naming the process."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # Local variables hold what must not be logged: text of documents, and passwords.
            structlog.processors.ExceptionRenderer(_traceback),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=lambda *_: _StderrLogger(),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(process=process)
    take_over_library_logs()


_transform = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)


def _traceback(exc_info: ExcInfo) -> list[dict[str, Any]]:
    return unquoted_exceptions(_transform(exc_info))


class _StderrLogger:
    """Writes lines; one that nobody can read any more must not fail the call that it tells of."""

    def msg(self, line: str) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.write(line + "\n")
            sys.stderr.flush()

    debug = info = warning = error = critical = msg


def request_id_of(metadata: Sequence[tuple[str, str | bytes]]) -> str:
    """The caller's request id, or a new one where it gave none that is fit for a log."""
    for key, value in metadata:
        if key == REQUEST_ID_KEY and isinstance(value, str) and _fit_for_logs(value):
            return value
    return uuid4().hex


def _fit_for_logs(request_id: str) -> bool:
    return 0 < len(request_id) <= MAX_REQUEST_ID and request_id.isprintable() and " " not in request_id


def current_request_id() -> str:
    """The request id of the call in work; empty outside of one."""
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))
