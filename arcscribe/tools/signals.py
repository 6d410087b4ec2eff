"""Signals as exceptions, so that what was started is stopped and what was half-written is removed."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ends_on_signals(*, orderly: bool = False) -> Iterator[None]:
    """While it lasts, SIGTERM and SIGHUP end the program as Ctrl-C does: by an exception.

    The exit status is 0 where such an end is the normal one (`orderly`, which goes for Ctrl-C too), else what
    shells expect, 128 and the signal's number. A signal that is ignored stays so: `nohup` asks for that.
    """

    def end(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(0 if orderly else 128 + number)

    numbers = (*SIGNALS, signal.SIGINT) if orderly else SIGNALS
    heeded = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
