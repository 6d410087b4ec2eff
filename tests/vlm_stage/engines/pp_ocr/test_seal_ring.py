"""The ring round a seal as an ellipse."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_stage.engines.pp_ocr.seal_ink import GreyImage
from vlm_stage.engines.pp_ocr.seal_ring import Ring, fit_ring


def drawn(ring: Ring, size: tuple[int, int]) -> GreyImage:
    """A ring 6 pixels wide whose outer edge is that ellipse."""
    ink = np.full(size, 255, np.uint8)
    axes = (ring.axes[0] - 6, ring.axes[1] - 6)
    cv2.ellipse(ink, (ring.center, axes, ring.angle), (0,), 6, cv2.LINE_AA)
    return ink


def cropped(ink: GreyImage) -> GreyImage:
    y, x = np.nonzero(ink < 128)
    return np.ascontiguousarray(ink[y.min() : y.max() + 1, x.min() : x.max() + 1])


@given(
    st.floats(200, 400),
    st.floats(0.7, 1.0),
    st.floats(0, 180),
    st.tuples(st.floats(-6, 6), st.floats(-6, 6)),
)
def test_an_oval_at_any_angle_is_found(
    width: float, aspect: float, angle: float, off: tuple[float, float]
) -> None:
    ring = Ring((250 + off[0], 250 + off[1]), (width, width * aspect), angle)
    ink = drawn(ring, (500, 500))
    y, x = np.nonzero(ink < 128)
    found = fit_ring(cropped(ink))
    assert found is not None
    assert found.center == pytest.approx(
        (ring.center[0] + 0.5 - x.min(), ring.center[1] + 0.5 - y.min()), abs=1.5
    )
    assert sorted(found.axes) == pytest.approx(sorted(ring.axes), abs=3)


def test_letters_seen_through_a_worn_ring_do_not_count() -> None:
    ring = Ring((150, 150), (300, 300), 0)
    ink = drawn(ring, (300, 300))
    for angle in range(0, 360, 30):
        x, y = 150 + 105 * np.cos(np.radians(angle)), 150 + 105 * np.sin(np.radians(angle))
        cv2.circle(ink, (round(x), round(y)), 12, (0,), -1)
    ink[:90, 160:] = 255
    found = fit_ring(ink)
    assert found is not None
    assert found.center == pytest.approx((150, 150), abs=2)
    assert found.diameter == pytest.approx(300, abs=4)


def test_a_square_has_no_ring() -> None:
    ink = np.full((200, 200), 255, np.uint8)
    cv2.rectangle(ink, (2, 2), (197, 197), (0,), 5)
    assert fit_ring(ink) is None


@pytest.mark.parametrize("level", [0, 255])
def test_plain_pictures_have_none(level: int) -> None:
    assert fit_ring(np.full((50, 50), level, np.uint8)) is None


def test_radii_are_1_on_the_ellipse() -> None:
    ring = Ring((10, 20), (40, 20), 90)
    points = np.array([(10, 40), (10, 0), (20, 20), (10, 20)], np.float32)
    assert ring.radii(points) == pytest.approx([1, 1, 1, 0], abs=1e-5)
