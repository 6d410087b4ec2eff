"""Pieces of lines, and lines within lines."""

from layout_stage.text_lines import merge_pieces, without_nested
from tests.layout_stage.pages import line, paragraph


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
