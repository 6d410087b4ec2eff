from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from layout_stage.detection.detections import Candidate
from layout_stage.detection.suppression import suppressed
from tests.layout_stage.detection.values import many, seen


def test_of_two_alike_the_better_stays() -> None:
    better, worse = seen("text", (0, 0, 100, 100), 0.9), seen("text", (0, 0, 100, 90), 0.8)
    assert suppressed([worse, better]) == [better]


def test_two_labels_may_share_a_place_but_not_the_same() -> None:
    title, text = seen("doc_title", (0, 0, 100, 100), 0.9), seen("text", (0, 0, 100, 90), 0.8)
    same = seen("text", (0, 0, 100, 99.5), 0.7)
    assert suppressed([title, text]) == [title, text]
    assert suppressed([title, same]) == [title]


@pytest.mark.parametrize(("bottom", "goes"), [(4, False), (5, True), (6, True)])
def test_from_six_tenths_on_two_are_alike(bottom: int, goes: bool) -> None:
    whole, part = seen("text", (0, 0, 9, 9), 0.9), seen("text", (0, 0, 9, bottom), 0.8)  # of 10 x 10 pixels
    assert suppressed([whole, part]) == ([whole] if goes else [whole, part])


def test_what_was_suppressed_suppresses_nothing() -> None:
    first, second, third = (seen("text", (x, 0, x + 100, 100), 0.9 - x / 100) for x in (0, 20, 40))
    assert suppressed([third, second, first]) == [first, third]


@given(many, st.randoms())
def test_order_does_not_matter_and_once_is_enough(candidates: list[Candidate], random: Random) -> None:
    once = suppressed(candidates)
    assert suppressed(once) == once
    shuffled = list(candidates)
    random.shuffle(shuffled)
    assert suppressed(shuffled) == once
