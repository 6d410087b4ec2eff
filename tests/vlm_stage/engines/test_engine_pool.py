"""Several engines as one: who gets a crop, and what becomes of it."""

import queue
import threading
from contextlib import suppress

import pytest

from arcscribe.errors import InferenceFailed, QueueFull, StageUnavailable
from arcscribe.types import Crop, PartialText, RegionFailure, StageModel
from tests.vlm_stage.builders import blank_crop
from tests.vlm_stage.fakes import FakeEngine, text_of
from vlm_stage.engines.engine import EngineOutput
from vlm_stage.engines.engine_pool import EnginePool


class Device(FakeEngine):
    """A fake engine on a device; it may be closed, or fail to warm up."""

    def __init__(self, device: str, capacity: int = 100) -> None:
        super().__init__(capacity)
        self.device = device
        self.warms_up_with: threading.Barrier | None = None
        self.is_broken = False

    @property
    def model(self) -> StageModel:
        return StageModel("fake", "none", self.device)

    def warm_up(self) -> None:
        if self.warms_up_with:
            self.warms_up_with.wait(10)
        if self.is_broken:
            raise InferenceFailed(f"{self.device} does not work")
        super().warm_up()

    def close_door(self) -> None:
        """Refuses what comes from now on."""

        def refuse(*_arguments: object, **_how: object) -> None:
            raise StageUnavailable("closed")

        self.submit = refuse  # type: ignore[assignment,method-assign]  # a fake becomes another


def two(capacity: int = 100) -> tuple[Device, Device, EnginePool]:
    first, second = Device("GPU.0", capacity), Device("GPU.1", capacity)
    return first, second, EnginePool((first, second))


def outstanding(many: EnginePool) -> tuple[int, ...]:
    """How many crops it thinks each engine has."""
    return tuple(many._outstanding)


def crops(*numbers: int) -> list[Crop]:
    return [blank_crop(number=number) for number in numbers]


def nobody(_told: EngineOutput) -> None:
    """Takes what is told, and does nothing with it."""


def test_each_crop_goes_to_the_engine_that_has_the_fewest() -> None:
    first, second, many = two()
    for crop in crops(1, 2, 3, 4):
        many.submit(crop, nobody)
    assert (first.accepted, second.accepted) == ([1, 3], [2, 4])
    second.finish(2)
    second.finish(4)
    for crop in crops(5, 6):
        many.submit(crop, nobody)
    assert (first.accepted, second.accepted) == ([1, 3], [2, 4, 5, 6])


def test_an_answer_a_failure_and_a_crop_taken_back_leave_their_place_once() -> None:
    first, _, many = two()
    cancels = [many.submit(crop, nobody) for crop in crops(1, 2, 3, 4, 5, 6)]
    assert outstanding(many) == (3, 3)
    first.finish(1)
    first.finish(3, RegionFailure("INFERENCE_FAILED", "no luck"))
    cancels[4]()
    assert outstanding(many) == (0, 3)
    for cancel in cancels:
        cancel()
        cancel()
    assert outstanding(many) == (0, 0)


def test_a_partial_text_is_passed_on_and_is_no_answer() -> None:
    first, _, many = two()
    output: queue.Queue[EngineOutput] = queue.Queue()
    (crop,) = crops(1)
    many.submit(crop, output.put)
    first.write(1, "t")
    assert outstanding(many) == (1, 0)
    first.finish(1)
    assert outstanding(many) == (0, 0)
    assert [output.get(timeout=5) for _ in range(2)] == [PartialText("t"), text_of(crop)]


def test_the_stream_goes_with_the_crop_and_taking_back_reaches_the_engine() -> None:
    first, second, many = two()
    cancels = [many.submit(crop, nobody, stream=f"s{crop.id}") for crop in crops(1, 2)]
    assert (first.streams, second.streams) == (["s1"], ["s2"])
    cancels[1]()
    assert (first.cancelled, second.cancelled) == ([], [2])


def test_a_crop_that_one_engine_refuses_goes_to_the_other() -> None:
    first, second, many = two(capacity=1)
    first.close_door()
    many.submit(crops(1)[0], nobody)
    assert second.accepted == [1]
    with pytest.raises(QueueFull):
        many.submit(crops(2)[0], nobody)
    assert outstanding(many) == (0, 1)


def test_full_engines_are_a_full_queue_and_closed_ones_are_unavailable() -> None:
    first, second, many = two(capacity=1)
    for crop in crops(1, 2):
        many.submit(crop, nobody)
    with pytest.raises(QueueFull):
        many.submit(crops(3)[0], nobody)
    first.close_door()
    second.close_door()
    with pytest.raises(StageUnavailable):
        many.submit(crops(3)[0], nobody)
    assert outstanding(many) == (1, 1)


def test_an_engine_that_breaks_at_a_crop_keeps_no_place_for_it() -> None:
    first, _, many = two()
    first.breaks_at = frozenset({1})
    with pytest.raises(RuntimeError):
        many.submit(crops(1)[0], nobody)
    assert outstanding(many) == (0, 0)


def test_all_warm_up_and_close_beside_each_other() -> None:
    first, second, many = two()
    first.warms_up_with = second.warms_up_with = threading.Barrier(2)
    many.warm_up()
    assert (first.warmed_up, second.warmed_up) == (True, True)
    many.close(2.5)
    assert (first.closed_with, second.closed_with) == ([2.5], [2.5])


def test_one_that_does_not_warm_up_is_an_error() -> None:
    _, second, many = two()
    second.is_broken = True
    with pytest.raises(InferenceFailed, match=r"GPU\.1 does not work"):
        many.warm_up()


def test_the_devices_of_all_are_named() -> None:
    _, _, many = two()
    assert many.model == StageModel("fake", "none", "GPU.0,GPU.1")


def test_no_engine_is_none() -> None:
    with pytest.raises(ValueError, match="an engine at least"):
        EnginePool(())


def test_no_place_is_lost_when_answers_and_cancels_race() -> None:
    first, second, many = two()

    def work(start: int) -> None:
        for number in range(start, start + 50):
            cancel = many.submit(blank_crop(number=number), nobody)
            device = first if number in first.waiting else second
            taking_back = threading.Thread(target=cancel)
            taking_back.start()
            with suppress(KeyError):  # taken back already
                device.finish(number)
            taking_back.join()

    threads = [threading.Thread(target=work, args=(1000 * index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outstanding(many) == (0, 0)


def test_one_that_is_broken_breaks_all() -> None:
    _, second, many = two()
    assert not many.broken
    second.broken = True
    assert many.broken
