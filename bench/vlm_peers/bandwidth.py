"""How fast this machine's memory can be read."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

BYTES = 512_000_000
"""Read at a time: more than any cache holds, and about what a step reads of weights."""


PASSES = 3


class MemoryReader:
    """Reads an array with several threads at once, each a part of its own.

    Twice over, since which is faster depends on the machine: the largest number (NumPy's vector loop) and the
    dot product with itself (BLAS). Both only read.
    """

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads)
        self._parts = np.array_split(np.ones(BYTES // 4, np.float32), threads)

    def bandwidth(self) -> float:
        """Bytes a second, in the fastest pass: what the memory gives if nobody else takes from it."""
        return max(self._pass(read) for read in (np.max, _square) for _ in range(PASSES))

    def _pass(self, read: Callable[[NDArray[np.float32]], object]) -> float:
        started = time.perf_counter()
        list(self._threads.map(read, self._parts))
        return BYTES / (time.perf_counter() - started)


def _square(numbers: NDArray[np.float32]) -> object:
    return np.dot(numbers, numbers)
