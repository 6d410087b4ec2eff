"""The degradation that turns clean pages into scans."""

import io

import numpy as np
from PIL import Image, ImageDraw

from samples.render.degrade import Scan, degrade, scanned_jpeg


def page(mode: str = "L") -> Image.Image:
    image = Image.new(mode, (160, 200), "white")
    ImageDraw.Draw(image).rectangle((20, 90, 140, 96), "black")
    return image


def test_the_same_seed_gives_the_same_pixels_and_another_seed_others() -> None:
    first = np.asarray(degrade(page(), Scan(seed=3, turn=0.5)))
    assert np.array_equal(first, np.asarray(degrade(page(), Scan(seed=3, turn=0.5))))
    assert not np.array_equal(first, np.asarray(degrade(page(), Scan(seed=4, turn=0.5))))


def test_size_and_mode_stay() -> None:
    for mode in ("L", "RGB"):
        scan = degrade(page(mode), Scan(seed=1, turn=0.5))
        assert (scan.size, scan.mode) == ((160, 200), mode)


def test_a_positive_turn_lifts_the_right_end_of_a_line() -> None:
    pixels = np.asarray(degrade(page(), Scan(seed=1, turn=2.0, noise=0, shade=0)), dtype=float)
    left, right = (255 - pixels[:, 30]), (255 - pixels[:, 130])
    rows = np.arange(200)
    assert (left * rows).sum() / left.sum() - (right * rows).sum() / right.sum() > 0.5


def test_noise_and_uneven_light_are_there() -> None:
    blank = Image.new("L", (160, 200), "white")
    even = np.asarray(degrade(blank, Scan(seed=1, turn=0, noise=0, shade=0)))
    assert even.std() == 0
    assert np.asarray(degrade(blank, Scan(seed=1, turn=0, noise=4, shade=0))).std() > 2
    lit = np.asarray(degrade(blank, Scan(seed=1, turn=0, noise=0, shade=30)))
    assert int(lit.max()) - int(lit.min()) > 15


def test_the_jpeg_has_its_resolution() -> None:
    with Image.open(io.BytesIO(scanned_jpeg(page(), Scan(seed=1, turn=0.5), dpi=200))) as image:
        assert image.format == "JPEG"
        assert image.info["dpi"] == (200, 200)
