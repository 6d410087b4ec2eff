"""The edge of every command: what goes wrong comes out as one line and an exit code, never as a traceback."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from arcscribe.errors import ArcscribeError

DEBUG_VARIABLE = "ARCSCRIBE_DEBUG"
INTERRUPTED = 130
"""What shells expect of a program that Ctrl-C ended: 128 and the signal's number."""


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Runs a command's body; also a decorator. `ARCSCRIBE_DEBUG=1` lets the traceback through.

    Raises:
        SystemExit: 1 after an error, which is printed, or if our output's reader left, 130 after Ctrl-C.
    """
    if os.environ.get(DEBUG_VARIABLE) == "1":
        yield
        return
    try:
        yield
        sys.stdout.flush()
    except ArcscribeError as error:
        _fail(error.message)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The interpreter flushes stdout once more as it exits; without a reader that would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _fail(_in_words(error))


def _fail(message: str) -> None:
    sys.stderr.write(f"error: {' '.join(message.split())}\n")
    sys.exit(1)


def _in_words(error: OSError) -> str:
    what = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {what}" if error.filename else what
