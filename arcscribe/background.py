"""Threads that leave the CPUs to those that answer calls."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

NICENESS = 5
"""Of threads that infer, above that of the process: the event loop, which has little to do, goes first."""
SWITCH_SECONDS = 0.0005
"""After which a thread gives up the lock of Python that it holds: a call waits for it several times."""


def background_threads(count: int, name: str) -> ThreadPoolExecutor:
    """A pool of threads that go behind others.

    Threads that these start, such as an engine's own or OpenVINO's, are as nice as they are. This is so on
    Linux; elsewhere threads have no niceness of their own.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    return ThreadPoolExecutor(count, thread_name_prefix=name, initializer=_go_behind)


def _go_behind() -> None:
    if sys.platform == "linux":  # a thread there is what others call a process
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS))
