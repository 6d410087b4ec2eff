"""Rows of text, and which way they run."""

import pytest

from arcscribe.types import Box, RegionKind, TextLine
from layout_stage.block_order.items import items_of, runs_down
from layout_stage.block_order.roles import role_of
from layout_stage.block_order.rows import guessed_rows, rows_of
from layout_stage.parts import Part


def line(left: float, top: float, right: float, bottom: float, *, vertical: bool = False) -> TextLine:
    box = Box(left, top, right, bottom)
    return TextLine(box, box.to_polygon(), 0.9, vertical)


def test_pieces_beside_each_other_are_one_row() -> None:
    rows = rows_of([line(0, 0, 40, 20), line(50, 3, 100, 22), line(0, 28, 60, 48)], vertical=False)
    assert rows.count == 2


def test_vertical_rows_follow_from_right_to_left() -> None:
    rows = rows_of([line(0, 10, 20, 90, vertical=True), line(30, 0, 50, 100, vertical=True)], vertical=True)
    assert (rows.count, rows.height) == (2, 20)


def test_the_rows_of_a_text_without_lines_are_guessed_from_its_height() -> None:
    assert guessed_rows(Box(0, 0, 300, 140), 20).count == 5
    assert guessed_rows(Box(0, 0, 300, 12), 20).height == 12


@pytest.mark.parametrize("vertical", [False, True])
def test_the_way_most_texts_run_is_the_way_of_the_page(vertical: bool) -> None:
    lines = [line(0, 0, 20, 20, vertical=vertical)]
    texts = [Part.of(RegionKind.TEXT, "text", 0.9, lines[0].box, lines)]
    without_lines = [Part.of(RegionKind.TEXT, "text", 0.9, Box(0, 0, 9, 99), ())] * 3
    assert runs_down([*texts, *without_lines]) is vertical


def test_a_page_without_lines_runs_across() -> None:
    part = Part.of(RegionKind.TEXT, "text", 0.9, Box(0, 0, 9, 99), ())
    _, vertical = items_of([0], [part], [role_of(part.kind)])
    assert not vertical
