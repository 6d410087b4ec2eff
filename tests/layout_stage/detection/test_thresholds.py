from hypothesis import given
from hypothesis import strategies as st

from layout_stage.detection.detections import Candidate
from layout_stage.detection.thresholds import over_threshold
from tests.layout_stage.detection.values import many, seen

BOX = (0, 0, 10, 10)


def test_a_score_at_the_threshold_is_too_little() -> None:
    at, over = seen("text", BOX, 0.30000001192092896), seen("text", BOX, 0.31)  # 0.3 as float32 has it
    assert over_threshold([at, over], 0.3) == [over]


def test_each_label_has_its_own_threshold_and_others_half() -> None:
    weak, other = seen("seal", BOX, 0.46), seen("text", BOX, 0.46)
    assert over_threshold([weak, other], {"seal": 0.45}) == [weak]


@given(many, st.floats(0, 1))
def test_what_is_over_the_threshold_stays_so(candidates: list[Candidate], threshold: float) -> None:
    once = over_threshold(candidates, threshold)
    assert over_threshold(once, threshold) == once
