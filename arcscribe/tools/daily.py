"""Hints that are given once a day, and not with every command."""

import time
from contextlib import suppress
from pathlib import Path

DAY_SECONDS = 86_400.0


def is_first_today(mark: Path) -> bool:
    """Whether nothing was marked within a day; it is now. Where it cannot be, each time is the first."""
    with suppress(OSError):
        if 0 <= time.time() - mark.stat().st_mtime < DAY_SECONDS:
            return False
    with suppress(OSError):
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    return True
