"""Freed memory goes back to the system, now and then."""

import platform
from pathlib import Path

import psutil
import pytest

from samples.checkpoints.tokenizer import write_tokenizer
from tests.vlm_stage.engines.paddleocr_vl.fake_engine import Fakes, crop, read_all, running
from tests.waiting import wait_until
from vlm_stage.engines.paddleocr_vl import freed_memory
from vlm_stage.engines.paddleocr_vl.freed_memory import BUSY_SECONDS, FreedMemory

PIECE = 100_000
"""Bytes; malloc maps pieces of 128 KiB and more apart, and unmaps them when they are freed."""


class Clock:
    """In the place of `time`."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has malloc_trim")
def test_what_is_freed_between_pieces_in_use_goes_back_to_the_system() -> None:
    process = psutil.Process()
    pieces = [bytes([number % 256]) * PIECE for number in range(1000)]
    kept = pieces[::100]
    del pieces
    before = process.memory_info().rss
    FreedMemory().give_back()
    assert before - process.memory_info().rss > 0.5 * 1000 * PIECE
    assert len(kept) == 10


def test_it_is_given_back_once_a_while_however_often_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, times = Clock(), list[float]()
    monkeypatch.setattr(freed_memory, "time", clock)
    memory = FreedMemory(lambda _kept: times.append(clock.now))
    for second in range(round(3.5 * BUSY_SECONDS)):
        clock.now = 100.0 + second
        memory.give_back_if_due()
    assert times == [100 + BUSY_SECONDS, 100 + 2 * BUSY_SECONDS, 100 + 3 * BUSY_SECONDS]


def test_an_engine_gives_it_back_when_it_has_nothing_to_do_and_reads_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls: list[int] = []
    monkeypatch.setattr(freed_memory, "find_trim", lambda: calls.append)
    write_tokenizer(tmp_path, 512)
    with running(Fakes(), tmp_path / "tokenizer.json") as engine:
        for number in range(3):
            calls.clear()
            assert read_all(engine, [crop(number)])[number]
            wait_until(lambda: bool(calls))
