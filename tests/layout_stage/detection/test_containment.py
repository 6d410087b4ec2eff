from random import Random

from hypothesis import given
from hypothesis import strategies as st

from layout_stage.detection.containment import merged
from layout_stage.detection.detection_settings import MergeMode
from layout_stage.detection.detections import Candidate
from tests.layout_stage.detection.values import LABELS, many, seen

OUTER, MIDDLE, INNER = (
    seen("image", (0, 0, 100, 100)),
    seen("text", (10, 10, 80, 80)),
    seen("seal", (20, 20, 40, 40)),
)
ALL = [OUTER, MIDDLE, INNER]


def test_one_mode_is_for_all_labels() -> None:
    assert merged(ALL, MergeMode.UNION) == ALL
    assert merged(ALL, MergeMode.LARGE) == [OUTER]
    # What lies in something stays, though it holds something.
    assert merged(ALL, MergeMode.SMALL) == [MIDDLE, INNER]


def test_a_mode_for_a_label_is_that_of_the_outer_box_or_of_the_inner() -> None:
    assert merged(ALL, {"text": MergeMode.LARGE}) == [OUTER, MIDDLE]
    assert merged(ALL, {"image": MergeMode.LARGE}) == [OUTER]
    assert merged(ALL, {"seal": MergeMode.SMALL}) == [INNER]
    assert merged(ALL, {"text": MergeMode.UNION}) == ALL


def test_nine_tenths_within_are_within() -> None:
    text = seen("text", (0, 0, 100, 100))
    nearly, less = seen("seal", (91, 0, 101, 10)), seen("seal", (92, 0, 102, 10))
    assert merged([text, nearly], MergeMode.LARGE) == [text]
    assert merged([text, less], MergeMode.LARGE) == [text, less]


def test_however_small_it_lies_in_something_but_a_line_does_not() -> None:
    text = seen("text", (0, 0, 100, 100))
    speck, line = seen("seal", (10, 10, 10.5, 10.5)), seen("seal", (10, 10, 50, 10))
    assert merged([text, speck, line], MergeMode.LARGE) == [text, line]


def test_a_formula_lies_only_in_formulas() -> None:
    text, formula = seen("text", (0, 0, 100, 100)), seen("formula", (10, 10, 80, 80))
    part = seen("formula", (20, 20, 40, 40))
    assert merged([text, formula, part], MergeMode.LARGE) == [text, formula]


def test_two_in_each_other_both_go_as_in_paddlex() -> None:
    title, text = seen("doc_title", (0, 0, 100, 100)), seen("text", (0, 0, 100, 99))
    assert merged([title, text], MergeMode.LARGE) == []


@given(many, st.sampled_from(LABELS))
def test_with_one_large_label_what_stays_would_stay_again(candidates: list[Candidate], label: str) -> None:
    once = merged(candidates, {label: MergeMode.LARGE})
    assert merged(once, {label: MergeMode.LARGE}) == once


@given(many, st.dictionaries(st.sampled_from(LABELS), st.sampled_from(MergeMode)), st.randoms())
def test_order_does_not_matter(
    candidates: list[Candidate], modes: dict[str, MergeMode], random: Random
) -> None:
    shuffled = list(candidates)
    random.shuffle(shuffled)
    kept = merged(candidates, modes)
    assert sorted(merged(shuffled, modes), key=lambda c: c.content) == sorted(kept, key=lambda c: c.content)
