import numpy as np
import pytest

from arcscribe.types import Box
from layout_stage.detection.unclip import ratio_of, unclipped, unclipped_outline

BOX = Box(10, 20, 30, 60)


def test_a_box_grows_about_its_centre() -> None:
    assert unclipped(BOX, (2.0, 0.5)) == Box(0, 30, 40, 50)


def test_a_ratio_of_one_changes_no_bit() -> None:
    odd = Box(0.1, 0.2, 1 / 3, 0.7)
    assert unclipped(odd, (1.0, 1.0)) is odd


def test_an_outline_grows_with_its_box() -> None:
    corners = np.array(BOX.to_polygon())
    grown = unclipped_outline(corners, BOX, (2.0, 0.5))
    assert tuple(map(tuple, grown.tolist())) == Box(0, 30, 40, 50).to_polygon()


@pytest.mark.parametrize(("label", "ratio"), [("seal", (1.2, 1.3)), ("text", (1.0, 1.0))])
def test_each_label_has_its_own_ratio(label: str, ratio: tuple[float, float]) -> None:
    assert ratio_of(label, {"seal": (1.2, 1.3)}) == ratio
    assert ratio_of(label, (2.0, 2.0)) == (2.0, 2.0)
