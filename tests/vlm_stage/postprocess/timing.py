"""How long something takes, of this thread's time."""

import time
from collections.abc import Callable


def takes_less_than(seconds: float, run: Callable[[], object]) -> bool:
    """Whether one run of three does, so that what else the machine does counts little."""
    for _ in range(3):
        start = time.thread_time()
        run()
        if time.thread_time() - start < seconds:
            return True
    return False
