"""Ctrl-C while a program still loads: it ends at once, in one line.

KeyboardInterrupt will not do for that time. The stages have no place to catch it in, and where it strikes
inside a destructor or a callback of the import system, Python prints it and goes on as if nothing was.
"""

import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130
"""What shells expect of a program that Ctrl-C ended: 128 and the signal's number."""


def end_at_once_on_interrupt() -> None:
    """From now on SIGINT ends this process, unless it is ignored: what runs in the background asks for that.

    A SIGINT that was held back, as `hold_interrupts` does, comes now.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def raise_on_interrupt() -> None:
    """From now on SIGINT is a KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def hold_interrupts() -> None:
    """Holds SIGINT back until the program that takes this one's place is ready for it.

    A thread of a library may still be given one. The system ends this process then: a handler would run in
    the main thread, which may have become the other program before.
    """
    if signal.getsignal(signal.SIGINT) in (_end, signal.default_int_handler):
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _end(_number: int, _frame: FrameType | None) -> None:
    try:
        os.write(sys.stderr.fileno(), b"interrupted\n")
    finally:
        os._exit(INTERRUPTED)
