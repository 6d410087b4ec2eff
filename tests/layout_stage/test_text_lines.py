"""Pieces of lines, and lines within lines."""

from collections.abc import Sequence

import cv2
import numpy as np

from arcscribe.types import Box, TextLine
from layout_stage.ink import Ink
from layout_stage.line_pieces import merge_pieces
from layout_stage.text_lines import split_at_gutters, without_nested
from tests.layout_stage.pages import EM, line, paragraph


def ink_of(lines: Sequence[TextLine], white: Sequence[Box] = ()) -> Ink:
    """A page with grey words where lines are, but for some white places."""
    page = np.full((800, 1000, 3), 255, np.uint8)
    for item in lines:
        for x in range(int(item.box.left), int(item.box.right) - 3, 6):
            cv2.rectangle(page, (x, int(item.box.top) + 3), (x + 2, int(item.box.bottom) - 3), (0, 0, 0), -1)
    for box in white:
        page[int(box.top) : int(box.bottom), int(box.left) : int(box.right)] = 255
    return Ink.of(page, EM)


def test_pieces_with_a_narrow_gap_are_one_line() -> None:
    (whole,) = merge_pieces([line(100, 100, 200), line(306, 101, 150)])
    assert (whole.box.left, whole.box.right) == (100, 456)
    assert whole.polygon[0] == (100, 100)
    assert whole.polygon[2] == (456, 121)


def test_three_pieces_are_one_line() -> None:
    assert len(merge_pieces([line(100, 100, 100), line(205, 100, 100), line(310, 100, 100)])) == 1


def test_pieces_stay_apart_at_a_gutter() -> None:
    left = [line(100, 100 + 26 * i, 300) for i in range(5)]
    right = [line(410, 100 + 26 * i, 300) for i in range(5)]
    assert len(merge_pieces([*left, *right])) == 10


def test_a_wider_gap_is_bridged_by_lines_that_run_across() -> None:
    above, below = line(100, 74, 500), line(100, 126, 500)
    merged = merge_pieces([above, line(100, 100, 200), line(330, 100, 270), below])
    assert len(merged) == 3


def test_a_line_inside_another_is_left_out() -> None:
    outer = line(100, 100, 300, 24)
    assert without_nested([line(150, 102, 60, 18), outer]) == (outer,)


def test_lines_that_only_touch_are_kept() -> None:
    lines = paragraph(100, 100, 300, 4, pitch=18)
    assert len(without_nested(lines)) == 4


def test_a_line_that_runs_across_a_gutter_is_cut() -> None:
    rows = range(100, 300, 26)
    left, right = [line(100, y, 300) for y in rows], [line(430, y, 300) for y in rows]
    across = line(100, 100 + 26 * 3, 630)
    lines = [*left[:3], *left[4:], *right[:3], *right[4:], across]
    gutter = Box(400, 0, 430, 800)
    assert len(split_at_gutters(lines, ink_of(lines, [gutter]))) == len(lines) + 1
    without_white = split_at_gutters(lines, ink_of(lines))
    assert len(without_white) == len(lines)


def test_a_note_in_the_margin_is_cut_from_the_line_beside_it() -> None:
    lines = [line(100, 100, 400), line(100, 126, 470), line(100, 152, 400)]
    pieces = split_at_gutters(lines, ink_of(lines, [Box(500, 0, 515, 800)]))
    assert len(pieces) == 4
    assert any(abs(piece.box.left - 515) <= 6 and piece.box.right == 570 for piece in pieces)


def test_a_note_in_the_margin_is_not_joined_to_the_line_beside_it() -> None:
    text = [line(100, 100 + 26 * i, 400) for i in range(3)]
    assert len(merge_pieces([*text, line(508, 126, 50)])) == 4


def test_a_piece_with_superscripts_is_joined_where_it_touches_and_not_across_a_gap() -> None:
    assert len(merge_pieces([line(100, 100, 200), line(302, 90, 150, 38)])) == 1
    assert len(merge_pieces([line(100, 100, 200), line(310, 90, 150, 38)])) == 2
