"""Telling operators that KV blocks run out: texts are the same then, and only come later."""

import math
import time

import structlog

from vlm_stage.engines.paddleocr_vl.scheduling.scheduler import Scheduler

INTERVAL_SECONDS = 60.0
"""Between two warnings."""

_log = structlog.get_logger()


class PreemptionLog:
    """Warns of a scheduler's preemptions: of the first at once, of later ones together. For one thread."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._told = 0
        self._due = -math.inf

    def warn_if_due(self) -> None:
        """Costs nothing where there is nothing to tell."""
        scheduler = self._scheduler
        untold = scheduler.preemptions - self._told
        if not untold or time.monotonic() < self._due:
            return
        self._told += untold
        self._due = time.monotonic() + INTERVAL_SECONDS
        _log.warning(
            "crops preempted",
            times=untold,
            running=scheduler.running,
            waiting=scheduler.waiting,
            free_blocks=scheduler.free_blocks,
            used_blocks=scheduler.used_blocks,
            remedy="raise kv_memory_mb, or lower max_sequences",
        )
