"""The PP-OCR engine: lines by a recogniser, tables as cells of lines, what is not text kept as pictures."""

import contextvars
import threading
import time
from collections.abc import Hashable, Sequence

import structlog

from arcscribe.errors import InferenceFailed, StageUnavailable
from arcscribe.rpc.traces import batch_span
from arcscribe.types import (
    Crop,
    FinishReason,
    RegionFailure,
    RegionKind,
    RegionText,
    RgbImage,
    StageModel,
)
from vlm_stage.engines.engine import Cancel, Deliver
from vlm_stage.engines.engine_load import BatchCounts, EngineLoad
from vlm_stage.engines.pp_ocr.job import Job, LineTask, Prepare, ReadLines, Step, Stopwatch
from vlm_stage.engines.pp_ocr.parts import Cutter, Reader, Recognizer, Tables
from vlm_stage.engines.pp_ocr.work_queue import WorkQueue
from vlm_stage.recognizer import compose, is_read

_log = structlog.get_logger()

CAPACITY = 64
"""Crops that may wait or be in work."""


class PpOcrEngine:
    """Threads that share one queue of crops and lines.

    Each thread takes the next thing to do: a crop is cut into lines, one of each stream in turn, lines are
    read, with those of other crops where batches pay, and whoever finishes a crop's last part answers it.
    `milliseconds` of an answer is the time that the threads spent on the crop, without its waiting.
    """

    def __init__(
        self,
        model: StageModel,
        recognizer: Recognizer,
        cutter: Cutter,
        tables: Tables,
        threads: int,
        batch_size: int,
    ) -> None:
        self._model = model
        self._recognizer = recognizer
        self._cutter = cutter
        self._tables = tables
        self._queue = WorkQueue(CAPACITY, batch_size)
        self._batches = [BatchCounts(batch_size) for _ in range(threads)]
        self._threads = [
            threading.Thread(
                # What a log line says of the process comes from the context.
                target=contextvars.copy_context().run,
                args=(self._work, self._batches[index]),
                name=f"pp-ocr-{index}",
                daemon=True,
            )
            for index in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def model(self) -> StageModel:
        return self._model

    @property
    def broken(self) -> bool:
        return False

    def loads(self) -> Sequence[EngineLoad]:
        waiting = self._queue.waiting
        batches = [sum(counts) for counts in zip(*(own.by_size for own in self._batches), strict=True)]
        return [EngineLoad(self._model.device, waiting, max(0, self._queue.open - waiting), batches)]

    def warm_up(self) -> None:
        """Reads one empty line. Other widths compile when they first come, in about 20 ms each."""
        self._recognizer.reader().warm_up()

    def submit(
        self,
        crop: Crop,
        deliver: Deliver,
        *,
        stream: Hashable = None,
    ) -> Cancel:
        job = Job(crop, deliver, stream)
        self._queue.put(job)

        def cancel() -> None:
            self._queue.remove(job)

        return cancel

    def close(self, grace_seconds: float) -> None:
        end = time.monotonic() + grace_seconds
        for job in self._queue.close(grace_seconds):
            error = StageUnavailable("the engine closed before the region was read")
            self._answer(job, RegionFailure(error.reason, error.message))
        for thread in self._threads:
            thread.join(timeout=max(0.0, end - time.monotonic()))

    def _work(self, batches: BatchCounts) -> None:
        reader = self._recognizer.reader()
        while (step := self._queue.next_step()) is not None:
            if isinstance(step, ReadLines):
                batches.add(len(step.tasks))
            self._run(step, reader)

    def _run(self, step: Step, reader: Reader) -> None:
        """A step; what fails, fails for its own crop only, and the thread lives on."""
        try:
            match step:
                case Prepare(job):
                    self._prepare(job)
                case ReadLines(tasks):
                    self._read(tasks, reader)
        except Exception:
            if isinstance(step, ReadLines) and len(step.tasks) > 1:
                for task in step.tasks:
                    self._run(ReadLines((task,)), reader)
                return
            self._fail(step.tasks[0].job if isinstance(step, ReadLines) else step.job)

    def _prepare(self, job: Job) -> None:
        with structlog.contextvars.bound_contextvars(request_id=job.request_id):
            self._prepare_crop(job)

    def _prepare_crop(self, job: Job) -> None:
        watch = Stopwatch()
        tasks = [
            LineTask(job, index, image) for index, images in enumerate(self._cut(job)) for image in images
        ]
        if self._queue.add_lines(job, tasks, watch.seconds):
            self._finish(job)

    def _cut(self, job: Job) -> Sequence[Sequence[RgbImage]]:
        """Sets the job's lines; the images of each."""
        crop = job.crop
        if crop.kind is RegionKind.SEAL and (inscriptions := self._cutter.inscriptions(crop)):
            job.lines = tuple(inscription.line for inscription in inscriptions)
            return [inscription.images for inscription in inscriptions]
        if is_read(crop):
            job.lines = self._cutter.lines(crop)
        if crop.kind is RegionKind.TABLE:
            job.table = self._tables.read(crop.pixels, job.lines)
            job.lines = job.table.lines
        return [self._cutter.images(crop, line) for line in job.lines]

    def _read(self, tasks: tuple[LineTask, ...], reader: Reader) -> None:
        watch = Stopwatch()
        with batch_span("read lines", [task.job.span for task in tasks], lines=len(tasks)):
            readings = reader.read([task.image for task in tasks])
        share = watch.seconds / len(tasks)
        for task, reading in zip(tasks, readings, strict=True):
            task.job.readings.setdefault(task.index, []).append(reading)
            if self._queue.line_done(task.job, share):
                self._finish_safely(task.job)

    def _finish_safely(self, job: Job) -> None:
        try:
            self._finish(job)
        except Exception:
            self._fail(job)

    def _finish(self, job: Job) -> None:
        watch = Stopwatch()
        content = compose(job.crop, job.read_lines(), job.table)
        result = RegionText(
            text=content.text,
            format=content.format,
            finish_reason=FinishReason.STOP,
            engine=self._model.engine,
            model=self._model.name,
            milliseconds=1000 * (job.seconds + watch.seconds),
            confidence=content.confidence,
        )
        self._answer(job, result)

    def _fail(self, job: Job) -> None:
        """To be called while the exception is handled."""
        _log.exception("crop failed", request_id=job.request_id, crop=job.crop.id, kind=job.crop.kind.value)
        error = InferenceFailed("the region could not be read; the stage's log says why")
        self._answer(job, RegionFailure(error.reason, error.message))

    def _answer(self, job: Job, result: RegionText | RegionFailure) -> None:
        if not self._queue.remove(job):
            return
        try:
            job.deliver(result)
        except Exception:  # the caller's; the thread goes on with the crops of others
            _log.exception("a caller could not be told of a crop", request_id=job.request_id)
