"""A process that does one long piece of work for a command, and tells of it in JSON lines.

The standard output carries events and nothing else. What goes wrong is one line, `error: ...`, and exit
status 1. The process ends, and leaves nothing half done, at SIGINT, SIGTERM or SIGHUP.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import IO

import msgspec

from arcscribe.errors import ArcscribeError

Tell = Callable[[msgspec.Struct], None]
"""Writes an event."""


def run_worker(work: Callable[[Tell], None], *, exit_with_parent: bool, memory: str) -> int:
    """Does the work and gives the exit status.

    Args:
        work: is given what tells of events.
        exit_with_parent: whether to end when the standard input does, as it does when the parent dies.
        memory: how much is needed, in words, for when there is not enough.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    if exit_with_parent:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    output = _own_output()

    def tell(event: msgspec.Struct) -> None:
        output.write(msgspec.json.encode(event).decode() + "\n")
        output.flush()

    try:
        work(tell)
    except (ArcscribeError, OSError) as error:
        sys.stderr.write(f"error: {' '.join(str(error).split())}\n")
        return 1
    except MemoryError:
        sys.stderr.write(f"error: there is not enough memory; {memory}\n")
        return 1
    return 0


def _end(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _end_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _own_output() -> IO[str]:
    """The standard output, kept from the libraries, which would write bars and notes between the events."""
    ours = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return ours
