"""The official order, with a stand-in for paddlex; `make parity` compares paddlex's own with what it gave."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcscribe.errors import InvalidConfig
from arcscribe.types import Box, RegionKind
from layout_stage.engines.paddlex_order import paddlex_order
from layout_stage.parts import Part
from tests.layout_stage.engines.fake_paddlex import install_pipeline, uninstall


def part(left: float, top: float, right: float, bottom: float) -> Part:
    return Part.of(RegionKind.TEXT, "text", 0.9, Box(left, top, right, bottom), ())


ROWS = [part(10, 100 * i + 0.7, 200, 100 * i + 80.4) for i in range(4)]


def test_parts_come_as_paddlex_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    install_pipeline(monkeypatch, lambda blocks, _: blocks[::-1])
    assert paddlex_order(ROWS) == (3, 2, 1, 0)


def test_areas_are_told_to_paddlex(monkeypatch: pytest.MonkeyPatch) -> None:
    install_pipeline(
        monkeypatch, lambda blocks, areas: blocks[::-1] if areas == [[0, 0, 300, 400]] else blocks
    )
    assert paddlex_order(ROWS, [Box(0, 0, 300, 400)]) == (3, 2, 1, 0)
    assert paddlex_order(ROWS) == (0, 1, 2, 3)


def test_a_part_that_paddlex_drops_follows_the_one_that_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    install_pipeline(monkeypatch, lambda blocks, _: blocks[:4])
    held, apart = part(20, 110, 100, 150), part(500, 0, 600, 50)
    assert paddlex_order([*ROWS, apart, held]) == (0, 1, 5, 2, 3, 4)


def test_parts_with_the_same_box_are_each_there_once(monkeypatch: pytest.MonkeyPatch) -> None:
    install_pipeline(monkeypatch, lambda blocks, _: blocks)
    assert paddlex_order([ROWS[0], ROWS[0], ROWS[1]]) == (0, 1, 2)


def test_a_page_without_parts_needs_no_paddlex(monkeypatch: pytest.MonkeyPatch) -> None:
    uninstall(monkeypatch)
    assert paddlex_order([]) == ()
    with pytest.raises(InvalidConfig, match='engine = "paddlex" cannot have paddlex here'):
        paddlex_order(ROWS)


SIDE = st.floats(0, 500)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(SIDE, SIDE, SIDE, SIDE), max_size=8), st.randoms(use_true_random=False))
def test_whatever_paddlex_keeps_each_part_is_read_once(
    monkeypatch: pytest.MonkeyPatch, sides: list[tuple[float, float, float, float]], random: Any
) -> None:
    def some(blocks: list[Any], _: list[Any]) -> list[Any]:
        kept: list[Any] = random.sample(blocks, random.randint(0, len(blocks)))
        return kept

    install_pipeline(monkeypatch, some)
    parts = [part(x, y, x + width, y + height) for x, y, width, height in sides]
    assert sorted(paddlex_order(parts)) == list(range(len(parts)))
