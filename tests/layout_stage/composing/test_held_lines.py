from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box
from layout_stage.composing.held_lines import held_lines
from layout_stage.parts import ink_box
from tests.layout_stage.pages import line

LINE = line(100, 100, 400, 40)


def test_a_line_is_held_by_the_smallest_of_the_boxes_that_hold_it() -> None:
    outer, inner = Box(50, 50, 800, 800), Box(90, 90, 510, 150)
    assert held_lines([outer, inner], [LINE]) == [(), (LINE,)]
    assert held_lines([inner, outer], [LINE]) == [(LINE,), ()]


def test_a_line_of_which_less_than_half_lies_in_a_box_is_in_none() -> None:
    assert held_lines([Box(0, 0, 280, 300)], [LINE]) == [()]
    assert held_lines([Box(0, 0, 320, 300)], [LINE]) == [(LINE,)]


def test_of_two_equal_boxes_the_first_holds_the_line() -> None:
    assert held_lines([Box(50, 50, 800, 800)] * 2, [LINE]) == [(LINE,), ()]
    assert held_lines([], [LINE]) == []


SIDES = st.integers(0, 12)


@given(st.lists(st.tuples(SIDES, SIDES, SIDES, SIDES), max_size=6))
def test_whoever_holds_a_line_holds_most_of_it_and_is_the_smallest_that_does(
    sides: list[tuple[int, int, int, int]],
) -> None:
    boxes = [Box(40 * x, 20 * y, 40 * (x + w), 20 * (y + h)) for x, y, w, h in sides]
    ranks = [(ink_box(LINE).coverage_by(box), -box.area, -i) for i, box in enumerate(boxes)]
    share, _, place = max(ranks, default=(0.0, 0.0, 0))
    told = [(LINE,) if share >= 0.5 and i == -place else () for i in range(len(boxes))]
    assert held_lines(boxes, [LINE]) == told
