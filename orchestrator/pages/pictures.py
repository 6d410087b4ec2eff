"""Pictures to RGB pixels, by Pillow. Runs in the workers only."""

import math
from collections.abc import Callable
from typing import Final

from PIL import ExifTags, Image

from orchestrator.pages.messages import Failed, Rendered, anonymous_file
from orchestrator.pages.shared_file import open_shared

Image.MAX_IMAGE_PIXELS = None  # the sizes are checked here, before anything is decoded

_GENEROUS = 4  # times the limit for what decodes at a fraction of its size or takes a quarter of the memory
_WHITE: Final = (255, 255, 255)
_TURNS: Final = {  # Exif 3.0, 4.6.5.1.9: what undoes each orientation
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class PictureFile:
    """An open picture, which owns the descriptor. Only TIFF has several pages; else frame 1 counts."""

    def __init__(self, descriptor: int, picture_format: str) -> None:
        self._file = open_shared(descriptor)
        self._format = picture_format
        try:
            self.page_count = self._count()
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        self._file.close()

    def check_size(self, max_megapixels: float) -> Failed | None:
        """Whether the first page is too large, by what the file's head says."""
        with self._open() as picture:
            return _too_large(picture, max_megapixels)

    def render(
        self, index: int, max_page_megapixels: float, max_picture_megapixels: float
    ) -> tuple[Rendered | Failed, int | None]:
        """One page, upright by its EXIF data, over white, scaled down where it is too large for a page.

        Raises:
            OSError, SyntaxError, ValueError: it is damaged.
        """
        with self._open() as picture:
            if index:
                picture.seek(index)
            failure = _too_large(picture, max_picture_megapixels)
            if failure is not None:
                return failure, None
            _draft(picture, max_page_megapixels)
            picture.load()
            upright = _upright(_shrunk(to_rgb(picture), max_page_megapixels), _orientation(picture))
        return Rendered(upright.width, upright.height, 0.0), anonymous_file(upright.tobytes())

    def _open(self) -> Image.Image:
        self._file.seek(0)
        return Image.open(self._file, formats=[self._format])

    def _count(self) -> int:
        with self._open() as picture:
            return int(getattr(picture, "n_frames", 1)) if self._format == "TIFF" else 1


def to_rgb(picture: Image.Image) -> Image.Image:
    """Any mode to RGB, transparent parts over white."""
    convert = _CONVERSIONS.get(picture.mode.split(";")[0])
    if convert is not None:
        return convert(picture)
    if picture.has_transparency_data:
        with_alpha = picture.convert("RGBA")
        flat = Image.new("RGB", picture.size, _WHITE)
        flat.paste(with_alpha, mask=with_alpha.getchannel("A"))
        return flat
    return picture.convert("RGB")


def _from_16_bits(picture: Image.Image) -> Image.Image:
    """Pillow clips values over 255 where it converts; a scan of 16 bits would come out white."""
    return picture.convert("I").point(lambda value: value * (1 / 256)).convert("L").convert("RGB")


def _from_float(picture: Image.Image) -> Image.Image:
    low, high = picture.getextrema()
    assert isinstance(low, float)
    assert isinstance(high, float)
    if not math.isfinite(high - low):
        raise ValueError("some of its values are no finite numbers")
    scale = 255 / (high - low) if high > low else 0.0
    return picture.point(lambda value: value * scale + (255 if scale == 0 else -low * scale)).convert("RGB")


_CONVERSIONS: dict[str, Callable[[Image.Image], Image.Image]] = {"I": _from_16_bits, "F": _from_float}


def _too_large(picture: Image.Image, max_megapixels: float) -> Failed | None:
    lenient = picture.format == "JPEG" or (picture.format == "TIFF" and picture.mode == "1")
    allowed = max_megapixels * (_GENEROUS if lenient else 1)
    megapixels = picture.width * picture.height / 1e6
    if megapixels <= allowed:
        return None
    return Failed(
        "TOO_LARGE",
        f"the picture has {picture.width} x {picture.height} pixels ({megapixels:.0f} megapixels); "
        f"the limit is {allowed:g} megapixels",
        limit=f"{allowed:g} megapixels",
    )


def _draft(picture: Image.Image, max_megapixels: float) -> None:
    """Let the JPEG decoder skip what scaling down would throw away."""
    if picture.format == "JPEG":
        shrink = math.sqrt(max_megapixels * 1e6 / (picture.width * picture.height))
        if shrink < 1:
            picture.draft(None, (math.ceil(picture.width * shrink), math.ceil(picture.height * shrink)))


def _shrunk(picture: Image.Image, max_megapixels: float) -> Image.Image:
    shrink = math.sqrt(max_megapixels * 1e6 / (picture.width * picture.height))
    if shrink >= 1:
        return picture
    size = max(1, int(picture.width * shrink)), max(1, int(picture.height * shrink))
    return picture.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)


def _orientation(picture: Image.Image) -> int:
    """EXIF's number, 1 to 8, for how a loaded picture must be turned; Pillow has turned TIFF already."""
    try:
        return int(picture.getexif().get(ExifTags.Base.Orientation, 1))
    except Exception:
        return 1


def _upright(picture: Image.Image, orientation: int) -> Image.Image:
    turn = _TURNS.get(orientation)
    return picture if turn is None else picture.transpose(turn)
