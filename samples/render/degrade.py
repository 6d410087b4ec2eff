"""Makes a clean page look scanned: turned a little, unevenly lit, blurred, noisy, JPEG-compressed."""

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter


@dataclass(frozen=True, slots=True)
class Scan:
    """How bad a scan is. `turn` in degrees, anticlockwise; `blur` a radius in pixels; `noise` and `shade` in
    grey levels; `quality` is JPEG's."""

    seed: int
    turn: float
    blur: float = 0.7
    noise: float = 3.2
    shade: float = 26.0
    quality: int = 60


PAPER = 246
"""The grey level of white paper under a scanner's lamp."""


def lighting(height: int, width: int, shade: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """How much darker each pixel is: 0 to `shade` grey levels, shape (height, width, 1)."""
    y, x = np.mgrid[0 : 1 : height * 1j, 0 : 1 : width * 1j]
    slope_x, slope_y = rng.uniform(-1, 1, 2)
    fold = np.exp(-(((x - rng.uniform(0.05, 0.2)) / 0.06) ** 2))
    tilt = slope_x * x + slope_y * y
    tilt = (tilt - tilt.min()) / max(float(np.ptp(tilt)), 1e-9)
    dark: NDArray[np.float64] = shade * np.maximum(tilt, 0.7 * fold)
    return dark[..., None]


def degrade(image: Image.Image, scan: Scan) -> Image.Image:
    """The page as a scanner gave it, same size and mode ("L" or "RGB"), before compression.

    The same image and `Scan` give the same pixels.
    """
    rng = np.random.default_rng(scan.seed)
    paper = PAPER if image.mode == "L" else (PAPER, PAPER, PAPER - 4)
    turned = image.rotate(
        scan.turn, Image.Resampling.BICUBIC, fillcolor=255 if image.mode == "L" else "white"
    )
    soft = np.asarray(turned.filter(ImageFilter.GaussianBlur(scan.blur)), dtype=np.float64)
    soft = soft.reshape(image.height, image.width, -1) * np.array(paper) / 255
    noise = rng.normal(0.0, scan.noise, (image.height, image.width, 1))
    lit = soft - lighting(image.height, image.width, scan.shade, rng) + noise
    pixels = np.clip(lit, 0, 255).astype(np.uint8)
    return Image.fromarray(pixels[..., 0] if image.mode == "L" else pixels)


def scanned_jpeg(image: Image.Image, scan: Scan, dpi: int) -> bytes:
    """The degraded page as JPEG."""
    stream = io.BytesIO()
    degrade(image, scan).save(stream, "JPEG", quality=scan.quality, optimize=True, dpi=(dpi, dpi))
    return stream.getvalue()
