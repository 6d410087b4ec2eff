from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box, RegionKind
from tests.vlm_stage.builders import blank_crop, read_line
from vlm_stage.recognizer import compose
from vlm_stage.tables.fill import assign
from vlm_stage.tables.structure import Cell, Structure, tiled
from vlm_stage.tables.table import Table

GRID = Structure((0, 100, 200), (0, 100, 200), tiled(2, 2, []))


def test_a_text_belongs_to_the_cell_that_it_overlaps_most() -> None:
    assert assign(GRID, [Box(60, 20, 130, 40), Box(90, 120, 190, 140)]) == [Cell(0, 0), Cell(1, 1)]


def test_a_text_outside_belongs_to_the_nearest_cell() -> None:
    assert assign(GRID, [Box(20, -60, 60, -40), Box(250, 150, 300, 170)]) == [Cell(0, 0), Cell(1, 1)]


@given(st.lists(st.tuples(st.floats(-300, 500), st.floats(-300, 500)), max_size=20))
def test_each_line_stands_in_the_table_exactly_once(places: list[tuple[float, float]]) -> None:
    lines = [read_line(f"w{index}w", left, top, left + 40) for index, (left, top) in enumerate(places)]
    cells = tuple(assign(GRID, [line.line.box for line in lines]))
    table = Table(GRID, tuple(line.line for line in lines), cells)
    text = compose(blank_crop(RegionKind.TABLE), lines, table).text
    assert all(text.count(line.text) == 1 for line in lines)
