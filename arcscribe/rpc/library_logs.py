"""What libraries say, as lines of the process's own log, without what they quote."""

import logging
import re
import threading
from collections.abc import Mapping
from typing import Any

import structlog

LONGEST = 300
"""Characters of what a library says that are told."""

log = structlog.get_logger()

_QUOTED = re.compile(r"""(?<!\w)(b?)(['"]).*?\2(?!\w)""", re.DOTALL)


def take_over_library_logs() -> None:
    """Has warnings, what is logged with `logging`, and what ends a thread become lines of the log."""
    root = logging.getLogger()
    root.handlers = [_ToOurLog(logging.WARNING)]
    logging.captureWarnings(capture=True)
    threading.excepthook = _thread_failed


def unquoted(text: str) -> str:
    """A message without what stands in quotation marks: a value, such as a piece of a document, often."""
    told = _QUOTED.sub(r"\1\2…\2", text)
    return told if len(told) <= LONGEST else told[: LONGEST - 1] + "…"


def unquoted_exceptions(stacks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Structured tracebacks, the messages of whose exceptions quote nothing."""
    return [
        stack
        | {"exc_value": unquoted(stack.get("exc_value", "")), "exc_notes": []}
        | {"exceptions": [unquoted_exceptions(group) for group in stack.get("exceptions", ())]}
        for stack in stacks
    ]


class _ToOurLog(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        level = "error" if record.levelno >= logging.ERROR else "warning"
        facts: Mapping[str, Any] = {"exc_info": record.exc_info} if record.exc_info else {}
        getattr(log, level)("library", logger=record.name, message=unquoted(record.getMessage()), **facts)


def _thread_failed(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is not None:
        name = arguments.thread.name if arguments.thread else ""
        log.error("thread failed", thread=name, exc_info=arguments.exc_value)
