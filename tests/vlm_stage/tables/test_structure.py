from hypothesis import given
from hypothesis import strategies as st

from vlm_stage.tables.structure import Cell, tiled

_SPANS = st.builds(Cell, st.integers(-1, 6), st.integers(-1, 6), st.integers(1, 5), st.integers(1, 5))


@given(st.integers(1, 6), st.integers(1, 6), st.lists(_SPANS, max_size=8))
def test_whatever_the_spans_each_place_belongs_to_one_cell(
    rows: int, columns: int, spans: list[Cell]
) -> None:
    places = [
        (row, column) for cell in tiled(rows, columns, spans) for row in cell.rows for column in cell.columns
    ]
    assert sorted(places) == [(row, column) for row in range(rows) for column in range(columns)]


def test_a_span_is_kept_and_one_that_overlaps_it_is_not() -> None:
    cells = tiled(2, 3, [Cell(0, 0, 2, 2), Cell(1, 1, 1, 2)])
    assert cells == (Cell(0, 0, 2, 2), Cell(0, 2), Cell(1, 2))
