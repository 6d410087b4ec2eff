"""Histories of a scheduler: whatever happens, each request ends once, and its text is what it is alone."""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import cycle

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.vlm_stage.engines.paddleocr_vl.fake_decoder import Request
from tests.vlm_stage.engines.paddleocr_vl.watched_scheduler import WatchedScheduler
from vlm_stage.engines.paddleocr_vl.scheduling.settings import SchedulerSettings


@dataclass(frozen=True, slots=True)
class Cancel:
    """Of the n-th request, counted round, even if it has ended."""

    number: int


@dataclass(frozen=True, slots=True)
class Turn:
    """What happens before a step, what while it runs, and whether it fails."""

    before: list[Request | Cancel]
    meanwhile: list[Request | Cancel]
    fails: bool


SIZES = st.builds(
    lambda size, count, sequences, spare, drafts: SchedulerSettings(
        size, count, sequences, sequences + spare, drafts
    ),
    size=st.integers(1, 4),
    count=st.integers(3, 10),
    sequences=st.integers(1, 5),
    spare=st.integers(0, 8),
    drafts=st.integers(0, 6),
)
REQUESTS = st.builds(
    Request,
    stream=st.integers(0, 2),
    prompt_length=st.integers(1, 10),
    max_new_tokens=st.integers(1, 16),
    ends_itself=st.booleans(),
    accuracy=st.integers(0, 4),
)
CHANGES = st.lists(REQUESTS | st.builds(Cancel, st.integers(0, 9)), max_size=3)
TURNS = st.builds(Turn, CHANGES, CHANGES, st.sampled_from([False, False, False, True]))


def play(watched: WatchedScheduler, history: list[Turn]) -> None:
    """Takes the turns, then runs what is open to its end."""
    for turn in history:
        change(watched, turn.before)
        started = watched.start_step()
        change(watched, turn.meanwhile)
        if started and turn.fails:
            watched.abandon_step()
        elif started:
            watched.finish_step()
    watched.drain()


def change(watched: WatchedScheduler, changes: list[Request | Cancel]) -> None:
    for item in changes:
        if isinstance(item, Request):
            watched.add(item)
        elif watched.crops:
            watched.cancel(item.number % len(watched.crops))


@pytest.mark.timeout(900)
def test_ten_thousand_histories_lose_no_block_end_every_request_once_and_change_no_text() -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
    @given(SIZES, st.lists(TURNS, min_size=1, max_size=10))
    def run(sizes: SchedulerSettings, history: list[Turn]) -> None:
        seen["histories"] += 1
        play(WatchedScheduler(sizes, seen), history)

    run()
    assert seen["histories"] >= 10_000
    kinds = ["ended by stop", "ended by length", "ended by repetition", "cancelled", "cancelled in its step"]
    kinds += ["preempted", "admitted again", "prompt in parts", "abandoned", "refused"]
    kinds += ["draft accepted", "draft accepted in part", "draft refused"]
    assert all(seen[kind] >= 1_000 for kind in kinds), seen


@settings(max_examples=300, deadline=None)
@given(SIZES, REQUESTS, st.lists(REQUESTS, min_size=1, max_size=6))
def test_a_request_ends_though_others_never_cease_to_come(
    sizes: SchedulerSettings, request: Request, crowd: list[Request]
) -> None:
    watched = WatchedScheduler(sizes, Counter())
    others = cycle(crowd)
    for _ in range(4):
        watched.add(next(others))
    number = watched.add(request)
    steps = 0
    while number in watched.open:
        while watched.scheduler.waiting < 4:
            watched.add(replace(next(others), prompt_length=1 + steps % sizes.capacity))
        watched.start_step()
        watched.finish_step()
        steps += 1
        assert steps < 1_000
