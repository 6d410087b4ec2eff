"""From a drawn table to its cells, without a model."""

import pytest

from arcscribe.types import Box, RgbImage, TextLine
from tests.vlm_stage.builders import text_line
from tests.vlm_stage.tables.drawings import TEXT_HEIGHT, draw_rules, page, tilted, write
from vlm_stage.tables.alignment import find_alignment
from vlm_stage.tables.choose import choose_structure
from vlm_stage.tables.fill import assign
from vlm_stage.tables.lattice import find_lattice
from vlm_stage.tables.rules import Rule, Rules, find_ink, find_rules
from vlm_stage.tables.split_lines import split_at_gaps, split_at_rules
from vlm_stage.tables.structure import Cell, Structure
from vlm_stage.tables.tilt import TableGeometry, straighten

ROWS, COLUMNS = (20, 80, 140, 200), (20, 160, 300, 440)


def geometry(image: RgbImage, lines: list[TextLine] | tuple[TextLine, ...]) -> TableGeometry:
    return straighten(lines, find_rules(find_ink(image), TEXT_HEIGHT), TEXT_HEIGHT)


def no_model() -> Structure | None:
    return None


def unexpected_model() -> Structure | None:
    raise AssertionError("a well-ruled table needs no model")


def ruled(*left_out: tuple[int, int, int, int]) -> tuple[RgbImage, list[TextLine]]:
    """A grid of 3 x 3 with a text in each cell; `left_out` are painted over in white."""
    image = page()
    draw_rules(image, [(20, y, 440, y) for y in ROWS] + [(x, 20, x, 200) for x in COLUMNS])
    for left, top, right, bottom in left_out:
        image[top:bottom, left:right] = 255
    return image, [write(image, x + 30, y + 20) for y in ROWS[:-1] for x in COLUMNS[:-1]]


def test_ruling_lines_draw_the_cells() -> None:
    image, lines = ruled()
    table = geometry(image, lines)
    structure = choose_structure(table, unexpected_model)
    assert structure.cells == tuple(Cell(row, column) for row in range(3) for column in range(3))
    assert assign(structure, table.boxes) == list(structure.cells)


@pytest.mark.parametrize("degrees", [-2.0, 1.5])
def test_a_crooked_scan_has_the_same_cells(degrees: float) -> None:
    image, lines = ruled()
    table = geometry(*tilted(image, lines, degrees))
    structure = choose_structure(table, unexpected_model)
    assert assign(structure, table.boxes) == [Cell(row, column) for row in range(3) for column in range(3)]


def test_cells_without_a_line_between_them_are_one() -> None:
    image, _ = ruled((155, 25, 165, 75), (25, 135, 155, 145))
    lattice = find_lattice(geometry(image, []))
    assert lattice is not None
    assert {cell for cell in lattice.cells if cell.row_span * cell.column_span > 1} == {
        Cell(0, 0, 1, 2),
        Cell(1, 0, 2, 1),
    }


def test_a_table_open_at_its_sides_is_closed_there() -> None:
    image, lines = ruled((10, 10, 26, 210), (436, 10, 450, 210))
    structure = choose_structure(geometry(image, lines), unexpected_model)
    assert (structure.row_count, structure.column_count) == (3, 3)


def test_columns_and_rows_follow_the_text_where_there_are_no_rules() -> None:
    image = page()
    lines = [write(image, x, y) for y in (20, 60, 100, 140) for x in (20, 200, 380)]
    table = geometry(image, lines)
    structure = choose_structure(table, no_model)
    assert assign(structure, table.boxes) == [Cell(row, column) for row in range(4) for column in range(3)]


def test_a_text_across_two_columns_spans_them() -> None:
    image = page()
    lines = [write(image, 20, 20), write(image, 200, 20, 240)]
    lines += [write(image, x, y) for y in (60, 100, 140, 180, 220) for x in (20, 200, 380)]
    structure = choose_structure(geometry(image, lines), no_model)
    assert Cell(0, 1, 1, 2) in structure.cells
    assert (structure.row_count, structure.column_count) == (6, 3)


def test_rules_between_rows_keep_wrapped_text_together() -> None:
    image = page()
    draw_rules(image, [(10, y, 460, y) for y in (10, 60, 110, 190, 240)])
    lines = [write(image, x, y) for y in (25, 75, 205) for x in (20, 200, 380)]
    lines += [write(image, 20, 140), write(image, 200, 125), write(image, 200, 150), write(image, 380, 140)]
    table = geometry(image, lines)
    structure = choose_structure(table, no_model)
    assert (structure.row_count, structure.column_count) == (4, 3)
    assert assign(structure, table.boxes)[-3:] == [Cell(2, 1), Cell(2, 1), Cell(2, 2)]


def test_a_caption_above_a_grid_gets_a_row_of_its_own() -> None:
    image, lines = ruled()
    below = write(image, 30, 230, 300)
    structure = choose_structure(geometry(image, [*lines, below]), unexpected_model)
    assert structure.cells[-1] == Cell(3, 0, 1, 3)


def test_the_model_is_believed_where_alignment_misses_a_column() -> None:
    image = page()
    lines = [write(image, x, y, 62) for y in (20, 60, 100, 140) for x in (20, 82, 144)]
    table = geometry(image, lines)
    cells = tuple(Cell(row, column) for row in range(4) for column in range(3))
    guess = Structure((15, 50, 90, 130, 165), (15, 81, 143, 210), cells)
    structure = choose_structure(table, lambda: guess)
    assert structure.column_count == 3


def test_a_table_without_text_or_lines_is_one_cell() -> None:
    assert choose_structure(geometry(page(), []), no_model).cells == (Cell(0, 0),)


def test_a_line_that_runs_through_a_rule_is_two() -> None:
    image, _ = ruled()
    line = write(image, 90, 40, 140)
    parts = split_at_rules([line], find_rules(find_ink(image), TEXT_HEIGHT).vertical)
    assert [(round(part.box.left), round(part.box.right)) for part in parts] == [(90, 160), (160, 230)]


def test_a_line_with_a_wide_gap_is_two_and_one_with_spaces_is_one() -> None:
    image = page()
    first = write(image, 20, 20, 60)
    write(image, 120, 20, 60)
    both = TextLine(first.box.union(first.box.shifted(100, 0)), (), 1.0)
    both = TextLine(both.box, both.box.to_polygon(), 1.0)
    words = write(image, 20, 80, 200)
    assert len(split_at_gaps([both], find_ink(image))) == 2
    assert split_at_gaps([words], find_ink(image)) == (words,)


def test_text_is_no_rule() -> None:
    image = page()
    for y in range(20, 300, 24):
        write(image, 20, y, 400)
    rules = find_rules(find_ink(image), TEXT_HEIGHT)
    assert rules.horizontal == ()
    assert rules.vertical == ()


def test_lines_of_a_wrapped_cell_stay_in_one_row_where_rows_are_parted_by_white() -> None:
    image = page()
    lines = [write(image, x, 20) for x in (20, 200, 380)]
    for top in (70, 140, 210):
        lines += [write(image, 20, top + 10), write(image, 380, top + 10)]
        lines += [write(image, 200, top), write(image, 200, top + 20)]
    table = geometry(image, lines)
    structure = choose_structure(table, no_model)
    assert (structure.row_count, structure.column_count) == (4, 3)
    assert assign(structure, table.boxes)[5:7] == [Cell(1, 1), Cell(1, 1)]


def test_rows_of_text_part_a_table_that_has_lines_between_columns_only() -> None:
    image = page()
    draw_rules(image, [(20, y, 440, y) for y in (20, 60, 260)] + [(x, 20, x, 260) for x in COLUMNS])
    lines = [write(image, x + 30, y) for y in (30, 70, 110, 150, 190, 230) for x in COLUMNS[:-1]]
    table = geometry(image, lines)
    structure = choose_structure(table, no_model)
    assert assign(structure, table.boxes) == [Cell(row, column) for row in range(6) for column in range(3)]


def test_a_line_that_meets_no_other_draws_no_cells() -> None:
    image, lines = ruled()
    draw_rules(image, [(40, 300, 400, 300), (500, 20, 500, 200)])
    lattice = find_lattice(geometry(image, lines))
    assert lattice is not None
    assert (lattice.row_count, lattice.column_count) == (3, 3)


def test_a_dark_bar_is_no_rule() -> None:
    image = page()
    image[100:130, 40:400] = 0
    assert find_rules(find_ink(image), TEXT_HEIGHT).horizontal == ()


def test_a_rule_right_beside_a_text_does_not_cut_a_sliver_off() -> None:
    line = text_line(100, 40, 200, 60)
    assert split_at_rules([line], [Rule(0, 100, 108, 0.0)]) == (line,)
    assert len(split_at_rules([line], [Rule(0, 100, 120, 0.0)])) == 2


def test_lines_that_lie_in_all_directions_are_no_tilt() -> None:
    steep = TextLine(Box(0, 0, 200, 60), ((0, 0), (200, 40), (200, 60), (0, 20)), 1.0)
    assert straighten([steep], Rules((), ()), TEXT_HEIGHT).boxes == (Box(0, 10, 200, 50),)


def test_a_small_tilt_of_the_lines_is_taken_out_where_there_are_no_rules() -> None:
    tilted_line = TextLine(Box(0, 0, 200, 30), ((0, 0), (200, 10), (200, 30), (0, 20)), 1.0)
    (box,) = straighten([tilted_line], Rules((), ()), TEXT_HEIGHT).boxes
    assert box.height == pytest.approx(20, abs=0.1)


def test_one_rule_below_a_head_does_not_make_one_row_of_the_rest() -> None:
    image = page()
    draw_rules(image, [(10, 50, 460, 50)])
    lines = [write(image, x, y) for y in (20, 60, 100, 140) for x in (20, 200, 380)]
    structure = find_alignment(geometry(image, lines), 0.9)
    assert structure is not None
    assert (structure.row_count, structure.column_count) == (4, 3)
