"""The engine's threads, with parts that do as they are told."""

import queue
import threading
import time
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
import structlog
from structlog.testing import capture_logs

from arcscribe.errors import QueueFull, StageUnavailable
from arcscribe.rpc.traces import span
from arcscribe.types import (
    Crop,
    RegionFailure,
    RegionKind,
    RegionText,
    RgbImage,
    StageModel,
    TextFormat,
    TextLine,
)
from tests.rpc.spans import Collector
from tests.vlm_stage.builders import blank_crop, text_line
from tests.waiting import wait_until
from vlm_stage.engines.engine import EngineOutput
from vlm_stage.engines.pp_ocr.engine import CAPACITY, PpOcrEngine
from vlm_stage.engines.pp_ocr.seal_cutter import Inscription
from vlm_stage.reading import Reading
from vlm_stage.tables.fill import assign
from vlm_stage.tables.structure import Structure, tiled
from vlm_stage.tables.table import Table


class FakeCutter:
    """Images whose first pixel is the line's left edge; a line that starts at 99 cannot be cut."""

    def lines(self, crop: Crop) -> tuple[TextLine, ...]:
        return crop.lines

    def images(self, _crop: Crop, line: TextLine) -> list[RgbImage]:
        if line.box.left == 99:
            raise ValueError("cannot cut")
        return [np.full((48, 32, 3), int(line.box.left), np.uint8)]

    def inscriptions(self, seal: Crop) -> tuple[Inscription, ...]:
        return tuple(
            Inscription(line, (np.full((48, 32, 3), 50, np.uint8),)) for line in reversed(seal.lines)
        )


class FakeTables:
    def read(self, _pixels: RgbImage, lines: Sequence[TextLine]) -> Table:
        structure = Structure((0, 50, 100), (0, 200), tiled(2, 1, []))
        return Table(structure, tuple(lines), tuple(assign(structure, [line.box for line in lines])))


class FakeRecognizer:
    """Reads the image's number; waits for `go`; an image of 66 fails whatever is read together with it."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.go.set()

    def reader(self) -> "FakeRecognizer":
        return self

    def warm_up(self) -> None:
        pass

    def read(self, images: Sequence[RgbImage]) -> list[Reading]:
        self.go.wait(timeout=10)
        numbers = [int(image[0, 0, 0]) for image in images]
        if 66 in numbers:
            raise RuntimeError("the device fell over")
        return [Reading(f"w{number}", 0.2 if number == 13 else 0.9) for number in numbers]


class Rig:
    def __init__(self, threads: int, batch_size: int) -> None:
        self.recognizer = FakeRecognizer()
        model = StageModel("pp-ocrv6", "model", "CPU")
        self.engine = PpOcrEngine(model, self.recognizer, FakeCutter(), FakeTables(), threads, batch_size)
        self.results: queue.Queue[tuple[int, EngineOutput]] = queue.Queue()

    def submit(self, crop: Crop) -> None:
        self.engine.submit(crop, lambda result: self.results.put((crop.id, result)))

    def next(self) -> tuple[int, EngineOutput]:
        return self.results.get(timeout=10)


@pytest.fixture(params=[(1, 1), (2, 1), (2, 4)])
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    rig = Rig(*request.param)
    yield rig
    rig.recognizer.go.set()
    rig.engine.close(grace_seconds=5)


def lines(*lefts: int) -> tuple[TextLine, ...]:
    return tuple(text_line(left, 30 * index, left + 40, 30 * index + 20) for index, left in enumerate(lefts))


def test_each_crop_is_answered_once_with_its_own_lines(rig: Rig) -> None:
    for number in range(20):
        rig.submit(blank_crop(lines=lines(number * 2 + 20), number=number))
    answers = dict(rig.next() for _ in range(20))
    texts = {number: result.text for number, result in answers.items() if isinstance(result, RegionText)}
    assert texts == {number: f"w{number * 2 + 20}" for number in range(20)}
    assert rig.results.empty()


@pytest.mark.parametrize("bad", [99, 66])
def test_a_crop_that_fails_harms_no_other(rig: Rig, bad: int) -> None:
    rig.recognizer.go.clear()
    for number, left in enumerate((10, bad, 20, 30)):
        rig.submit(blank_crop(lines=lines(left), number=number))
    rig.recognizer.go.set()
    answers = dict(rig.next() for _ in range(4))
    failure = answers.pop(1)
    assert isinstance(failure, RegionFailure)
    assert failure.reason == "INFERENCE_FAILED"
    assert all(isinstance(result, RegionText) for result in answers.values())


@pytest.mark.parametrize("left", [10, 99, 66])
def test_a_caller_that_cannot_be_told_harms_no_other(rig: Rig, left: int) -> None:
    output: queue.Queue[EngineOutput] = queue.Queue()

    def gone(result: EngineOutput) -> None:
        output.put(result)
        raise RuntimeError("the caller is gone")

    with capture_logs() as logged:
        for number in range(2):
            rig.engine.submit(blank_crop(lines=lines(left), number=number), gone)
        for _ in range(2):
            assert isinstance(output.get(timeout=10), RegionText if left == 10 else RegionFailure)
        rig.submit(blank_crop(lines=lines(20), number=4))
        assert rig.next()[0] == 4
        wait_until(
            lambda: [entry["event"] for entry in logged].count("a caller could not be told of a crop") == 2
        )
    assert output.empty()


def test_closing_tells_all_even_where_one_cannot_be_told(rig: Rig) -> None:
    def gone(_result: EngineOutput) -> None:
        raise RuntimeError("the caller is gone")

    rig.recognizer.go.clear()
    for number in range(6):
        crop = blank_crop(lines=lines(10), number=number)
        if number % 2:
            rig.submit(crop)
        else:
            rig.engine.submit(crop, gone)
    with capture_logs():
        rig.engine.close(grace_seconds=0.1)
    assert {rig.next()[0] for _ in range(3)} == {1, 3, 5}


def test_closing_takes_no_longer_than_its_grace_in_all(rig: Rig) -> None:
    rig.recognizer.go.clear()
    for number in range(6):
        rig.submit(blank_crop(lines=lines(10), number=number))
    began = time.monotonic()
    rig.engine.close(grace_seconds=0.5)
    assert 0.5 <= time.monotonic() - began < 0.95
    assert {rig.next()[0] for _ in range(6)} == set(range(6))


def test_what_an_engine_logs_names_its_process() -> None:
    with structlog.contextvars.bound_contextvars(process="vlm_stage"):
        rig = Rig(1, 1)
    found: queue.Queue[dict[str, object]] = queue.Queue()
    rig.engine.submit(
        blank_crop(lines=lines(10)), lambda _told: found.put(structlog.contextvars.get_contextvars())
    )
    assert found.get(timeout=10) == {"process": "vlm_stage"}
    rig.engine.close(5)


@pytest.mark.parametrize("bad", [99, 66], ids=["cut", "read"])
def test_what_is_logged_of_a_crop_has_the_request_id_of_its_call(rig: Rig, bad: int) -> None:
    with capture_logs(processors=[structlog.contextvars.merge_contextvars]) as logged:
        with structlog.contextvars.bound_contextvars(request_id="r-17"):
            rig.submit(blank_crop(lines=lines(bad)))
        rig.next()
    assert [entry["request_id"] for entry in logged] == ["r-17"]


def test_an_engine_tells_what_waits_and_how_large_its_batches_were(rig: Rig) -> None:
    rig.recognizer.go.clear()
    for number in range(4):
        rig.submit(blank_crop(lines=lines(20), number=number))
    (load,) = rig.engine.loads()
    assert (load.device, load.waiting + load.in_work) == ("CPU", 4)
    rig.recognizer.go.set()
    for _ in range(4):
        rig.next()
    (load,) = rig.engine.loads()
    assert (load.waiting, load.in_work) == (0, 0)
    assert sum(size * count for size, count in enumerate(load.batches)) == 4


def test_lines_that_are_read_have_a_span_that_names_their_crops() -> None:
    collector = Collector()
    rig = Rig(1, 1)
    with collector.process(), span("crop"):
        rig.submit(blank_crop(lines=lines(20)))
        rig.next()
    rig.engine.close(5)
    (batch,), (crop,) = collector.named("read lines"), collector.named("crop")
    assert [link.context for link in batch.links] == [crop.context]


def test_a_table_is_html_and_keeps_its_lines(rig: Rig) -> None:
    rig.submit(blank_crop(RegionKind.TABLE, (text_line(1, 10, 41, 30), text_line(2, 60, 42, 80))))
    _, result = rig.next()
    assert isinstance(result, RegionText)
    assert result.format is TextFormat.HTML
    assert result.text == "<table><tr><td>w1</td></tr><tr><td>w2</td></tr></table>"


def test_a_picture_is_answered_without_being_read(rig: Rig) -> None:
    rig.recognizer.go.clear()
    rig.submit(blank_crop(RegionKind.HEADER_IMAGE, lines(10)))
    _, result = rig.next()
    assert isinstance(result, RegionText)
    assert (result.format, result.text, result.confidence) == (TextFormat.NONE, "", None)


def test_a_seals_inscriptions_are_read_in_their_order(rig: Rig) -> None:
    rig.submit(blank_crop(RegionKind.SEAL, lines(10, 20)))
    _, result = rig.next()
    assert isinstance(result, RegionText)
    assert (result.format, result.text) == (TextFormat.NONE, "w50 w50")


def test_a_line_read_without_confidence_is_left_out_and_lowers_the_crops(rig: Rig) -> None:
    rig.submit(blank_crop(lines=lines(13, 50)))
    _, result = rig.next()
    assert isinstance(result, RegionText)
    assert result.text == "w50"
    assert result.confidence == pytest.approx(0.45)


def test_a_cancelled_crop_delivers_nothing(rig: Rig) -> None:
    rig.recognizer.go.clear()
    rig.submit(blank_crop(lines=lines(10), number=0))
    cancel = rig.engine.submit(blank_crop(lines=lines(20)), lambda result: rig.results.put((1, result)))
    cancel()
    rig.submit(blank_crop(lines=lines(30), number=2))
    rig.recognizer.go.set()
    assert {rig.next()[0], rig.next()[0]} == {0, 2}
    assert rig.results.empty()


def test_a_full_queue_refuses_and_room_comes_back(rig: Rig) -> None:
    rig.recognizer.go.clear()
    for number in range(CAPACITY):
        rig.submit(blank_crop(lines=lines(10), number=number))
    with pytest.raises(QueueFull):
        rig.submit(blank_crop(lines=lines(10)))
    rig.recognizer.go.set()
    for _ in range(CAPACITY):
        rig.next()
    rig.submit(blank_crop(lines=lines(10), number=7))
    assert rig.next()[0] == 7


def test_closing_fails_what_is_not_done_in_time(rig: Rig) -> None:
    rig.recognizer.go.clear()
    rig.submit(blank_crop(lines=lines(10)))
    closing = threading.Thread(target=lambda: rig.engine.close(grace_seconds=0.1))
    closing.start()
    _, result = rig.next()
    assert isinstance(result, RegionFailure)
    assert result.reason == "STAGE_UNAVAILABLE"
    rig.recognizer.go.set()
    closing.join(timeout=5)
    with pytest.raises(StageUnavailable):
        rig.submit(blank_crop())
    assert rig.results.empty()
