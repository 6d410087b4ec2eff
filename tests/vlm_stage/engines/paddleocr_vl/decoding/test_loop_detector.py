import random
import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vlm_stage.engines.paddleocr_vl.decoding.loop_detector import (
    MAX_PERIOD,
    ROW_LIMITS,
    TEXT_LIMITS,
    Loop,
    LoopDetector,
    LoopLimits,
)

_NL, _CELL, _EMPTY = 7, 8, 9
_SMALL = LoopLimits(units=4, tokens=48)


def _first_loop(detector: LoopDetector, tokens: Sequence[int]) -> tuple[int, Loop] | None:
    """After how many tokens the detector speaks, and what it says."""
    for index, token in enumerate(tokens):
        if loop := detector.feed(token):
            return index + 1, loop
    return None


def _run(tokens: Sequence[int], period: int) -> int:
    """How long the longest end with that period is."""
    run = period
    while run < len(tokens) and tokens[-run - 1] == tokens[-run - 1 + period]:
        run += 1
    return min(run, len(tokens))


def _loop_by_definition(tokens: Sequence[int], limits: LoopLimits) -> tuple[int, Loop] | None:
    """The same by the definition, in no time that would do."""
    for length in range(1, len(tokens) + 1):
        for period in range(1, min(MAX_PERIOD, length) + 1):
            run = _run(tokens[:length], period)
            if run >= max(limits.units * period, limits.tokens):
                return length, Loop(period, length - run + period)
    return None


_PIECES = st.one_of(
    st.lists(st.integers(0, 2), max_size=20),
    st.builds(
        lambda unit, count: unit * count,
        st.lists(st.integers(0, 3), min_size=1, max_size=20),
        st.integers(1, 30),
    ),
    st.builds(
        lambda inner, count, rest, times: (inner * count + rest) * times,
        *(st.lists(st.integers(0, 3), min_size=1, max_size=3), st.integers(1, 20)),
        *(st.lists(st.integers(0, 3), max_size=6), st.integers(1, 8)),
    ),
)


@settings(deadline=None)
@given(st.lists(_PIECES, max_size=5).map(lambda pieces: [token for piece in pieces for token in piece][:300]))
def test_it_speaks_at_the_token_that_completes_a_loop_and_at_no_other(tokens: list[int]) -> None:
    assert _first_loop(LoopDetector(text_limits=_SMALL), tokens) == _loop_by_definition(tokens, _SMALL)


@given(
    st.lists(st.integers(10, 5000), max_size=100),
    st.lists(st.integers(10, 5000), min_size=1, max_size=MAX_PERIOD),
    st.integers(0, 40),
)
def test_a_loop_is_found_in_time_and_its_cut_keeps_what_was_before_and_one_unit(
    before: list[int], unit: list[int], part: int
) -> None:
    count = max(TEXT_LIMITS.units, -(-TEXT_LIMITS.tokens // len(unit)))
    tokens = [*before, *unit * (count + 1)]
    found = _first_loop(LoopDetector(), tokens)
    assert found is not None
    length, loop = found
    assert length <= len(before) + count * len(unit)
    assert len(unit) % loop.period == 0
    kept = tokens[: loop.keep]
    assert kept[: len(before)] == before[: loop.keep]
    assert loop.keep <= len(before) + loop.period
    repeated = kept[-loop.period :] * (count + 1)
    assert tokens[:length] == (kept[: -loop.period] + repeated * (len(unit) // loop.period))[:length]


@pytest.mark.parametrize("period", [1, 2, 7, 8, 9, 16, 17, 63, 64, 65, 129, 255, 256])
def test_a_period_takes_so_many_tokens_to_be_a_loop(period: int) -> None:
    tokens = [*range(1000, 1033), *list(range(period)) * 500]
    found = _first_loop(LoopDetector(), tokens)
    needed = max(TEXT_LIMITS.units * period, TEXT_LIMITS.tokens)
    assert found == (33 + needed, Loop(period, 33 + period))


def test_longer_periods_are_not_looked_for() -> None:
    assert _first_loop(LoopDetector(), list(range(MAX_PERIOD + 1)) * 12) is None


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 30))
def test_text_without_a_run_never_speaks(seed: int, vocabulary: int) -> None:
    source = random.Random(seed)
    tokens = [source.randrange(vocabulary) for _ in range(2000)]
    assert _first_loop(LoopDetector(), tokens) is None


def _row(cells: Sequence[int]) -> list[int]:
    return [*cells, _NL]


@pytest.mark.parametrize(
    "tokens",
    [
        [100, *[46] * 200, 101],
        [token for line in range(60) for token in (1000 + line, *[46] * 100, 2000 + line, 10)],
        [*([48, 46, 48, 48, 32] * 60), 5],
        [*list(range(50, 110)) * 4, 11, 12],
        [*[5, 10] * 150, 11],
    ],
    ids=[
        "a leader",
        "a table of contents",
        "a row of zeros",
        "four forms alike",
        "150 times the same short line",
    ],
)
def test_what_pages_hold_is_no_loop(tokens: list[int]) -> None:
    assert _first_loop(LoopDetector(), tokens) is None


@pytest.mark.parametrize(
    "tokens",
    [
        _row([_CELL, 50, _CELL, 51]) + _row([_EMPTY] * 20) * 75,
        _row([_EMPTY] * 4) * 300,
        _row([_CELL, 48, 46, 48, 48] * 10) * 30,
        [token for row in range(70) for token in _row([_CELL, 1000 + row, *[_EMPTY] * 30])],
    ],
    ids=["a blank form", "a narrow blank form", "30 rows of zeros", "a form with numbered rows"],
)
def test_what_tables_hold_is_no_loop(tokens: list[int]) -> None:
    assert _first_loop(LoopDetector(row_end=_NL), tokens) is None


def test_rows_that_never_end_are_a_loop_and_one_of_them_stays() -> None:
    head, row = _row([_CELL, 50, _CELL, 51]), _row([_CELL, 60, _EMPTY])
    found = _first_loop(LoopDetector(row_end=_NL), head + row * 1000)
    assert found == (len(head) + ROW_LIMITS.tokens - 1, Loop(len(row), len(head) + len(row) - 1))
    # the row end of the head is part of the loop already: the unit that stays begins there


def test_cells_that_never_end_are_a_loop_sooner_than_rows() -> None:
    head = _row([_CELL, 50, _CELL, 51])
    found = _first_loop(LoopDetector(row_end=_NL), head + [_EMPTY] * 4000)
    assert found == (len(head) + TEXT_LIMITS.tokens, Loop(1, len(head) + 1))


def test_any_token_id_can_be_told() -> None:
    assert _first_loop(LoopDetector(row_end=0), [0xD800, 103_423, 0x10FFFF] * 200) is not None


@pytest.mark.parametrize("kind", ["text", "table", "leader", "blank form", "nested"])
def test_it_costs_a_few_microseconds_for_each_token_of_sixteen_sequences(kind: str) -> None:
    source = random.Random(3)
    text = [source.randrange(100_000) for _ in range(2000)]
    tokens = {
        "text": text,
        "table": [token for number in text[:500] for token in (_CELL, number, _CELL, _NL)],
        "leader": ([46] * 300 + [5, 6, 7]) * 7,
        "blank form": ([_EMPTY] * 12 + [_NL]) * 120,
        "nested": (([46] * 30 + [5]) * 9 + [6, 7]) * 7,
    }[kind]
    best = float("inf")
    for _ in range(3):
        detectors = [LoopDetector(row_end=_NL) for _ in range(16)]
        start = time.thread_time()
        for token in tokens:
            for detector in detectors:
                detector.feed(token)
        best = min(best, (time.thread_time() - start) / len(tokens) / 16)
    assert best < 20e-6
