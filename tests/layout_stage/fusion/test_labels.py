"""Which of the network's boxes speaks for a line."""

from arcscribe.types import Box
from layout_stage.cdla_boxes import LayoutBox
from layout_stage.fusion.labels import LineLabels
from tests.layout_stage.pages import line

LINE = line(100, 100, 200)


def labelled(*boxes: LayoutBox) -> tuple[str, float]:
    labels = LineLabels([LINE], boxes)
    return labels.label(LINE), labels.score(LINE)


def test_the_best_box_that_holds_a_line_speaks_for_it() -> None:
    text, title = LayoutBox("text", 0.6, Box(90, 90, 320, 300)), LayoutBox("title", 0.9, LINE.box)
    assert labelled(text, title) == ("title", 0.9)


def test_a_box_that_cuts_a_line_in_half_holds_it_as_its_ink_is_lower_than_its_box() -> None:
    assert labelled(LayoutBox("title", 0.9, Box(90, 90, 320, 110.8))) == ("title", 0.9)
    assert labelled(LayoutBox("title", 0.9, Box(90, 90, 320, 109))) == ("", 0.0)


def test_objects_and_doubtful_boxes_speak_for_no_line() -> None:
    assert labelled(LayoutBox("table", 0.9, LINE.box), LayoutBox("text", 0.35, LINE.box)) == ("", 0.0)
