"""Crops on their way to the decoder, while threads and device take their time."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, cast

import numpy as np

from arcscribe.types import RegionFailure
from tests.vlm_stage.engines.paddleocr_vl.fake_engine import crop
from tests.vlm_stage.engines.paddleocr_vl.fake_networks import FakeVision
from vlm_stage.engines.engine import EngineOutput
from vlm_stage.engines.paddleocr_vl.crop_encoder import PREPARED_AHEAD, CropEncoder
from vlm_stage.engines.paddleocr_vl.crop_request import CropRequest
from vlm_stage.engines.paddleocr_vl.inputs.crop_preparer import PreparedCrop
from vlm_stage.engines.paddleocr_vl.inputs.images import Patches

PATCHES = 4


class ByHand(Executor):
    """Does what it was given when the test says so, the first first."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.jobs.append((future, lambda: fn(*args, **kwargs)))
        return future

    def work(self) -> None:
        jobs, self.jobs = self.jobs, []
        for future, job in jobs:
            if future.set_running_or_notify_cancel():
                future.set_result(job())


class Encoding:
    """An encoder that runs beside the decoder, with two crops in a row, and all that it takes."""

    def __init__(self) -> None:
        self.vision, self.threads = FakeVision(is_done=False), ByHand()
        self.prepared: list[int] = []
        self.output: dict[int, EngineOutput] = {}
        self.encoder = CropEncoder(
            cast(Any, self.vision),
            self._prepare,
            self.threads,
            lambda: None,
            overlaps=True,
            row_patches=2 * PATCHES,
        )

    def _prepare(self, request: CropRequest) -> PreparedCrop:
        self.prepared.append(request.id)
        patches = Patches(np.zeros((PATCHES, 12), np.float32), 2, 2)
        return PreparedCrop(patches, cast(Any, None), np.zeros((3, 1), np.int64), 0, ())

    def add(self, number: int, stream: str = "a") -> CropRequest:
        def deliver(output: EngineOutput) -> None:
            self.output[number] = output

        request = CropRequest(number, stream, crop(number), "OCR:", deliver)
        self.encoder.add(request)
        return request

    def advance(self, room: int = 9, *, may_wait: bool = False) -> list[int]:
        """The crops that are encoded by now."""
        return [encoded.request.id for encoded in self.encoder.advance(room, may_wait=may_wait)]


def test_a_row_is_taken_when_the_device_is_done_and_not_before() -> None:
    encoding = Encoding()
    for number in (1, 2, 3):
        encoding.add(number)
    assert not encoding.encoder.can_advance
    encoding.threads.work()
    assert encoding.encoder.can_advance
    assert (encoding.advance(), encoding.vision.rows) == ([], [2])
    assert (encoding.advance(), encoding.vision.rows) == ([], [2])
    encoding.vision.is_done = True
    assert encoding.advance() == [1, 2]
    assert encoding.advance() == [3]
    assert not encoding.encoder.can_advance


def test_who_has_nothing_else_to_do_waits_for_the_row() -> None:
    encoding = Encoding()
    encoding.add(1)
    encoding.threads.work()
    assert encoding.advance(may_wait=True) == [1]


def test_a_row_is_begun_only_for_as_many_crops_as_there_is_room_for() -> None:
    encoding = Encoding()
    for number in (1, 2):
        encoding.add(number)
    encoding.threads.work()
    assert (encoding.advance(room=0), encoding.vision.rows) == ([], [])
    assert encoding.advance(room=1, may_wait=True) == [1]


def test_streams_take_turns_and_few_crops_are_prepared_ahead() -> None:
    encoding = Encoding()
    for number in range(20):
        encoding.add(number)
    encoding.add(20, "b")
    encoding.threads.work()
    assert encoding.prepared == list(range(PREPARED_AHEAD))
    encoding.advance()  # begins a row, which leaves room
    encoding.advance()
    encoding.threads.work()
    assert encoding.prepared[PREPARED_AHEAD:] == [8, 20]


def test_a_crop_taken_back_while_its_row_is_encoded_is_left_out_of_it() -> None:
    encoding = Encoding()
    first, _ = encoding.add(1), encoding.add(2)
    encoding.threads.work()
    encoding.advance()
    encoding.encoder.cancel(first)
    assert encoding.advance(may_wait=True) == [2]
    assert encoding.output == {}


def test_crops_taken_back_before_are_not_prepared_and_make_room_for_others() -> None:
    encoding = Encoding()
    requests = [encoding.add(number) for number in range(PREPARED_AHEAD + 2)]
    for request in requests[1:]:
        encoding.encoder.cancel(request)
    encoding.add(99)
    encoding.threads.work()
    assert encoding.prepared == [0, 99]
    assert encoding.advance(may_wait=True) == [0, 99]
    assert not encoding.encoder.can_advance


def test_a_row_that_fails_costs_its_crops_but_for_those_taken_back() -> None:
    encoding = Encoding()
    encoding.vision.broken = 1
    requests = [encoding.add(number) for number in (1, 2, 3)]
    encoding.threads.work()
    encoding.advance()
    encoding.encoder.cancel(requests[0])
    assert encoding.advance(may_wait=True) == []
    assert {number: type(output) for number, output in encoding.output.items()} == {2: RegionFailure}
    assert encoding.advance(may_wait=True) == [3]
