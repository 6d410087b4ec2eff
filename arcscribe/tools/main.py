"""The console script's entry, which imports next to nothing: Ctrl-C while the rest loads is one line as well."""

import sys
from contextlib import suppress

INTERRUPTED = 130
"""What shells expect of a program that Ctrl-C ended: 128 and the signal's number."""


def main() -> None:
    """Runs the `arcscribe` command."""
    try:
        from arcscribe.tools.app import run  # noqa: PLC0415  # half a second, in which Ctrl-C may come

        run()
    except KeyboardInterrupt:
        with suppress(OSError, AttributeError):  # AttributeError: there is no standard error stream
            sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)
