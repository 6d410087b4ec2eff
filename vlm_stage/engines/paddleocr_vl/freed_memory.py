"""Giving freed memory back to the system.

glibc's malloc keeps what is freed between pieces that are in use. What OpenVINO holds for shapes that it has
seen lately is many small pieces, and crops of megabytes come and go between them: a stage that had read
thousands of crops of all sizes held 100 MB that it did not use.
"""

import ctypes
import time
from collections.abc import Callable

BUSY_SECONDS = 60.0
"""Between two times where there is always something to do; one takes up to 20 ms."""


def find_trim() -> Callable[[int], object]:
    """glibc's `malloc_trim`, which gives back whole pages that are free; where libc is another, nothing."""
    try:
        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return lambda _kept: None
    return trim


class FreedMemory:
    """Gives it back when it is told to, and when it is time again. For one thread."""

    def __init__(self, trim: Callable[[int], object] | None = None) -> None:
        self._trim = trim or find_trim()
        self._due = time.monotonic() + BUSY_SECONDS

    def give_back(self) -> None:
        self._trim(0)
        self._due = time.monotonic() + BUSY_SECONDS

    def give_back_if_due(self) -> None:
        """Costs nothing most of the time."""
        if time.monotonic() >= self._due:
            self.give_back()
