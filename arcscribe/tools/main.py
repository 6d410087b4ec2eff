"""The entry of the console script. It imports next to nothing: Ctrl-C while the rest loads is one line."""

import os
import sys

from arcscribe.tools.interrupt import INTERRUPTED, end_at_once_on_interrupt, raise_on_interrupt


def main() -> None:
    """Runs the `arcscribe` command."""
    end_at_once_on_interrupt()
    _open_missing_streams()
    try:
        from arcscribe.tools.app import run  # noqa: PLC0415  # half a second, in which Ctrl-C may come

        raise_on_interrupt()
        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)


def _open_missing_streams() -> None:
    """Where a standard stream is closed, the next file or socket that is opened would get its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w")
