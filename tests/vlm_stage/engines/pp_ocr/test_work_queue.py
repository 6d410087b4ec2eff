import threading

import numpy as np
import pytest

from arcscribe.errors import QueueFull, StageUnavailable
from tests.vlm_stage.builders import blank_crop
from vlm_stage.engines.pp_ocr.job import Job, LineTask, Prepare, ReadLines
from vlm_stage.engines.pp_ocr.work_queue import WorkQueue


def _job(number: int = 0) -> Job:
    return Job(blank_crop(number=number), lambda _result: None)


def _task(job: Job, index: int, width: int) -> LineTask:
    return LineTask(job, index, np.zeros((48, width, 3), np.uint8))


def _prepared(queue: WorkQueue, *widths: int) -> Job:
    job = _job()
    queue.put(job)
    assert queue.next_step() == Prepare(job)
    queue.add_lines(job, [_task(job, index, width) for index, width in enumerate(widths)], 0.0)
    return job


def test_a_full_queue_says_when_to_come_back() -> None:
    queue = WorkQueue(capacity=1, batch_size=1)
    queue.put(_job())
    with pytest.raises(QueueFull) as caught:
        queue.put(_job())
    assert int(caught.value.details["retry_after_ms"]) > 0


def test_a_queue_of_huge_crops_is_full_before_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vlm_stage.engines.engine.MOST_BYTES", blank_crop(number=0).pixels.nbytes + 1)
    queue = WorkQueue(capacity=9, batch_size=1)
    jobs = [_job(number) for number in range(3)]
    queue.put(jobs[0])
    queue.put(jobs[1])
    with pytest.raises(QueueFull):
        queue.put(jobs[2])
    queue.remove(jobs[0])
    queue.put(jobs[2])


def test_a_stream_with_one_crop_waits_for_one_of_each_other() -> None:
    queue = WorkQueue(capacity=9, batch_size=1)
    many = [Job(blank_crop(number=number), lambda _: None, stream="many") for number in range(4)]
    one = Job(blank_crop(number=7), lambda _: None, stream="one")
    for job in (*many, one):
        queue.put(job)
    queue.remove(many[1])
    assert [queue.next_step() for _ in range(4)] == [Prepare(job) for job in (many[0], one, *many[2:])]


def test_the_oldest_line_goes_first_with_others_of_its_width_from_any_crop() -> None:
    queue = WorkQueue(capacity=9, batch_size=3)
    first = _prepared(queue, 300, 100)
    second = _prepared(queue, 310, 300)
    step = queue.next_step()
    assert isinstance(step, ReadLines)
    assert [(task.job is first, task.index) for task in step.tasks] == [(True, 0), (False, 0), (False, 1)]
    step = queue.next_step()
    assert isinstance(step, ReadLines)
    assert [(task.job, task.index) for task in step.tasks] == [(first, 1)]
    assert second is not first


def test_crops_are_cut_up_until_a_batch_is_full() -> None:
    queue = WorkQueue(capacity=9, batch_size=2)
    _prepared(queue, 100)
    waiting = _job()
    queue.put(waiting)
    assert queue.next_step() == Prepare(waiting)


def test_the_last_line_completes_a_job() -> None:
    queue = WorkQueue(capacity=9, batch_size=1)
    job = _prepared(queue, 100, 100)
    assert not queue.line_done(job, 0.25)
    assert queue.line_done(job, 0.25)
    assert job.seconds == 0.5


def test_what_is_removed_is_not_done_and_is_removed_once() -> None:
    queue = WorkQueue(capacity=9, batch_size=3)
    removed = _prepared(queue, 100, 200)
    kept = _prepared(queue, 300)
    assert queue.remove(removed)
    assert not queue.remove(removed)
    step = queue.next_step()
    assert isinstance(step, ReadLines)
    assert step.tasks[0].job is kept


def test_a_closed_queue_takes_no_more_and_ends_its_threads() -> None:
    queue = WorkQueue(capacity=9, batch_size=1)
    job = _job()
    queue.put(job)
    assert queue.close(grace_seconds=0.01) == [job]
    with pytest.raises(StageUnavailable):
        queue.put(_job())
    queue.remove(job)
    assert queue.next_step() is None


def test_a_thread_that_waits_is_woken() -> None:
    queue = WorkQueue(capacity=9, batch_size=1)
    steps: list[object] = []
    thread = threading.Thread(target=lambda: steps.append(queue.next_step()))
    thread.start()
    job = _job()
    queue.put(job)
    thread.join(timeout=5)
    assert steps == [Prepare(job)]
