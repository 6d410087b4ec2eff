"""Histories of a scheduler: whatever happens, each request ends once, and its text is what it is alone."""

import secrets
from collections import Counter
from dataclasses import dataclass, replace
from itertools import cycle, product

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
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
REQUESTS = st.sampled_from(
    [Request(*each) for each in product(range(3), range(1, 11), range(1, 17), (False, True), range(5))]
)
"""Hypothesis chooses once, not five times."""
CANCELS = st.sampled_from([Cancel(number) for number in range(10)])
HISTORIES = 10_000
PARTS = 4
"""Which processes that run tests can share among them."""
CHANGES = st.lists(REQUESTS | CANCELS, max_size=3)
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
@pytest.mark.parametrize("part", range(PARTS))
def test_ten_thousand_histories_lose_no_block_end_every_request_once_and_change_no_text(part: int) -> None:
    seen: Counter[str] = Counter()

    # Without a seed of its own each part would have the same histories where Hypothesis is not to be random.
    @seed(secrets.randbits(64))
    @settings(
        max_examples=HISTORIES // PARTS,
        phases=[Phase.generate, Phase.shrink],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(SIZES, st.lists(TURNS, min_size=1, max_size=10))
    def run(sizes: SchedulerSettings, history: list[Turn]) -> None:
        seen["histories"] += 1
        play(WatchedScheduler(sizes, seen), history)

    run()
    assert seen["histories"] >= HISTORIES // PARTS
    kinds = ["ended by stop", "ended by length", "ended by repetition", "cancelled", "cancelled in its step"]
    kinds += ["preempted", "admitted again", "prompt in parts", "abandoned", "refused"]
    kinds += ["draft accepted", "draft accepted in part", "draft refused"]
    assert all(seen[kind] >= 1_000 / PARTS for kind in kinds), seen


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
