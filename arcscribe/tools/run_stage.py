"""`python -m arcscribe.tools.run_stage PACKAGE ...`: the package's main, which Ctrl-C may end as it loads."""

import runpy
import sys

from arcscribe.tools.interrupt import end_at_once_on_interrupt


def main() -> None:
    """Runs the package that the first argument names, with the other arguments.

    Its own handling of signals takes over as soon as it has one.
    """
    end_at_once_on_interrupt()
    _, package, *arguments = sys.argv
    sys.argv = [package, *arguments]
    runpy.run_module(package, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
