"""Pictures of floating-point values, as some scanning software writes them."""

import math

import numpy as np
import pytest
from PIL import Image

from orchestrator.pages.pictures import to_rgb


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_values_that_give_no_range_are_damage_and_no_blank_page(value: float) -> None:
    values = np.linspace(0, 1, 16, dtype=np.float32).reshape(4, 4)
    values[0, 0] = value
    with pytest.raises(ValueError, match="finite"):
        to_rgb(Image.fromarray(values))


def test_a_picture_of_one_value_is_white() -> None:
    assert to_rgb(Image.fromarray(np.full((2, 2), 0.5, np.float32))).getpixel((0, 0)) == (255, 255, 255)
