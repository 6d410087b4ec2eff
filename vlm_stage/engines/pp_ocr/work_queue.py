"""What waits to be done, shared by the threads of an engine."""

import threading
from collections import deque
from collections.abc import Sequence

from arcscribe.errors import QueueFull, StageUnavailable
from arcscribe.fair_queue import FairQueue
from vlm_stage.engines.engine import is_full
from vlm_stage.engines.pp_ocr.job import Job, LineTask, Prepare, ReadLines, Step
from vlm_stage.engines.pp_ocr.line_images import padded_width

_RETRY_AFTER_MS = "200"


class WorkQueue:
    """Crops that wait, one of each stream in turn, and the lines of those in work, oldest first.

    A job is open from `put` until `remove` takes it out, which succeeds once: who removes a job answers it.
    """

    def __init__(self, capacity: int, batch_size: int) -> None:
        """`capacity` crops may be open; `batch_size` lines are read at once."""
        self._capacity = capacity
        self._batch_size = batch_size
        self._changed = threading.Condition()
        self._crops: FairQueue[Job] = FairQueue()
        self._lines: deque[LineTask] = deque()
        self._open: set[Job] = set()
        self._closed = False

    @property
    def waiting(self) -> int:
        """How many crops nothing was done of yet."""
        return len(self._crops)

    @property
    def open(self) -> int:
        """How many crops are not answered."""
        return len(self._open)

    def put(self, job: Job) -> None:
        """Raises QueueFull or StageUnavailable."""
        with self._changed:
            if self._closed:
                raise StageUnavailable("the engine is closing; try again")
            if is_full([other.crop for other in self._open], self._capacity):
                raise QueueFull(f"{len(self._open)} crops wait; try again", retry_after_ms=_RETRY_AFTER_MS)
            self._open.add(job)
            self._crops.add(job)
            self._changed.notify()

    def next_step(self) -> Step | None:
        """Waits for something to do; None once the queue is closed and all is answered."""
        with self._changed:
            while True:
                step = self._take()
                if step is not None or (self._closed and not self._open):
                    return step
                self._changed.wait()

    def add_lines(self, job: Job, tasks: Sequence[LineTask], seconds: float) -> bool:
        """The images of a prepared job; whether there are none, so that the job is complete."""
        with self._changed:
            job.seconds += seconds
            job.images_left = len(tasks)
            self._lines.extend(tasks)
            self._changed.notify_all()
            return not tasks

    def line_done(self, job: Job, seconds: float) -> bool:
        """Counts an image whose reading took so long; whether it was the job's last one."""
        with self._changed:
            job.seconds += seconds
            job.images_left -= 1
            return job.images_left == 0

    def remove(self, job: Job) -> bool:
        """Whether the job was open until now; what is left of it will not be done."""
        with self._changed:
            was_open = job in self._open
            self._open.discard(job)
            if self._crops.holds(job):
                self._crops.remove(job)
            self._changed.notify_all()
            return was_open

    def close(self, grace_seconds: float) -> list[Job]:
        """Takes no more, waits for what is open, and gives back what is open still."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._open, timeout=grace_seconds)
            return list(self._open)

    def _take(self) -> Step | None:
        self._forget_removed()
        if self._lines and (len(self._lines) >= self._batch_size or not self._crops):
            return ReadLines(self._take_lines())
        if self._crops:
            return Prepare(self._crops.take())
        return None

    def _forget_removed(self) -> None:
        while self._lines and self._lines[0].job not in self._open:
            self._lines.popleft()

    def _take_lines(self) -> tuple[LineTask, ...]:
        """The oldest line, and the oldest of those that fill its batch without more padding."""
        width = padded_width(self._lines[0].image.shape[1])
        taken: list[LineTask] = []
        passed: list[LineTask] = []
        while self._lines and len(taken) < self._batch_size:
            task = self._lines.popleft()
            fits = padded_width(task.image.shape[1]) == width and task.job in self._open
            (taken if fits else passed).append(task)
        self._lines.extendleft(reversed(passed))
        return tuple(taken)
