"""Grids made of what is roughly known, and moved off the text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box
from vlm_stage.tables.cell_boxes import structure_of_cells
from vlm_stage.tables.snap import snap_to_text
from vlm_stage.tables.structure import Cell, Structure, tiled
from vlm_stage.tables.text_rows import column_gaps, row_edges, text_rows

COORDINATES = st.floats(0, 500)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    left, top = draw(COORDINATES), draw(COORDINATES)
    return Box(left, top, left + draw(st.floats(1, 200)), top + draw(st.floats(1, 60)))


@st.composite
def grids(draw: st.DrawFn) -> Structure:
    rows, columns = (sorted(draw(st.lists(COORDINATES, min_size=2, max_size=6))) for _ in range(2))
    return Structure(tuple(rows), tuple(columns), tiled(len(rows) - 1, len(columns) - 1, []))


def test_edges_lie_half_way_between_the_boxes_of_neighbours() -> None:
    cells = [Cell(0, 0), Cell(0, 1), Cell(1, 0), Cell(1, 1)]
    found = structure_of_cells(
        cells, [Box(0, 0, 90, 40), Box(110, 0, 200, 40), Box(0, 60, 90, 100), Box(110, 60, 200, 100)]
    )
    assert found == Structure((0, 50, 100), (0, 100, 200), tuple(cells))


def test_bands_in_which_no_cell_starts_or_ends_share_what_is_between() -> None:
    found = structure_of_cells(
        [Cell(0, 0, 1, 3), Cell(1, 0, 1, 3)], [Box(0, 0, 300, 20), Box(0, 20, 300, 40)]
    )
    assert found is not None
    assert found.column_edges == (0, 100, 200, 300)


def test_no_cells_make_no_grid() -> None:
    assert structure_of_cells([], []) is None


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), boxes()), min_size=1, max_size=12))
def test_edges_grow_however_wrong_the_boxes_are(placed: list[tuple[int, int, Box]]) -> None:
    cells = [Cell(row, column) for row, column, _ in placed]
    found = structure_of_cells(cells, [box for *_, box in placed])
    assert found is not None
    for edges in (found.row_edges, found.column_edges):
        assert all(a <= b for a, b in pairwise(edges))


def test_an_edge_through_a_text_moves_to_the_nearest_white() -> None:
    grid = Structure((0, 50, 100), (0, 200), tiled(2, 1, []))
    assert snap_to_text(grid, [Box(0, 10, 90, 30), Box(0, 44, 90, 64)]).row_edges == (0, 37, 100)


def test_an_edge_in_the_white_stays() -> None:
    grid = Structure((0, 40, 100), (0, 200), tiled(2, 1, []))
    assert snap_to_text(grid, [Box(0, 10, 90, 30), Box(0, 60, 90, 80)]) == grid


@given(grids(), st.lists(boxes(), max_size=10))
def test_snapping_keeps_the_outer_edges_and_moves_inner_ones_within_their_bands(
    grid: Structure, texts: list[Box]
) -> None:
    moved = snap_to_text(grid, texts)
    assert moved.cells == grid.cells
    for before, after in (
        (grid.row_edges, moved.row_edges),
        (grid.column_edges, moved.column_edges),
    ):
        assert (after[0], after[-1]) == (before[0], before[-1])
        assert all(a <= b for a, b in pairwise(after))


@given(st.lists(boxes(), min_size=1, max_size=15))
def test_each_text_is_in_one_row_and_edges_lie_between_the_middles_of_rows(texts: list[Box]) -> None:
    rows = text_rows(texts)
    held = [box for row in rows for box in row]
    assert sorted(held, key=repr) == sorted(texts, key=repr)
    edges = row_edges(rows)
    assert len(edges) == len(rows) + 1
    middles = [(min(b.top for b in row) + max(b.bottom for b in row)) / 2 for row in rows]
    for edge, (above, below) in zip(edges[1:-1], pairwise(middles), strict=True):
        assert edge == pytest.approx(min(max(edge, above), below))


def test_rows_that_overlap_are_parted_between_their_middles() -> None:
    rows = [[Box(0, 0, 50, 40)], [Box(100, 22, 150, 26)]]
    assert row_edges(rows) == [0, 24, 26]


@given(st.lists(boxes(), min_size=1, max_size=15), st.floats(1, 40))
def test_no_text_stands_across_a_gap_that_none_may_cross(texts: list[Box], least: float) -> None:
    for x in column_gaps(text_rows(texts), least, 0.0):
        assert not any(box.left + 1 < x < box.right - 1 for box in texts)
