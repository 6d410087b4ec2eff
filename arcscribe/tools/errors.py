"""The edge of every command: what goes wrong comes out as one line and an exit code, never as a traceback."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from arcscribe.errors import ArcscribeError, Unauthenticated
from arcscribe.tools.interrupt import INTERRUPTED

DEBUG_VARIABLE = "ARCSCRIBE_DEBUG"


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
        if sys.stdout is not None:  # as it is where the standard output was closed before we started
            sys.stdout.flush()
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The interpreter flushes stdout once more as it exits; without a reader that would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (ArcscribeError, OSError) as error:
        typer.echo(f"error: {printable(in_words(error))}", err=True)
        sys.exit(1)


def in_words(error: ArcscribeError | OSError) -> str:
    """What went wrong, for a person."""
    if isinstance(error, Unauthenticated):
        return f"{error.message}; give one with --token-file, or in ARCSCRIBE_TOKEN"
    if isinstance(error, ArcscribeError):
        return error.message
    what = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {what}" if error.filename else what


def printable(text: str) -> str:
    """One line of a text, with question marks for what a terminal would obey or cannot show."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
