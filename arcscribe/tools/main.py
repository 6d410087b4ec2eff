"""The entry of the console script. It imports next to nothing: Ctrl-C while the rest loads is one line."""

import os
import sys

INTERRUPTED = 130
"""What shells expect of a program that Ctrl-C ended: 128 and the signal's number."""


def main() -> None:
    """Runs the `arcscribe` command."""
    _open_missing_streams()
    try:
        from arcscribe.tools.app import run  # noqa: PLC0415  # half a second, in which Ctrl-C may come

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
