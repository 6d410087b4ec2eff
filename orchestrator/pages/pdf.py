"""PDF pages to pixels, by PDFium. Runs in the workers only."""

import ctypes
import math
import mmap
import os
from functools import cached_property
from typing import Any  # pypdfium2 has no types

import pypdfium2
import pypdfium2.raw as pdfium

from orchestrator.pages.lost_content import has_lost_content
from orchestrator.pages.messages import Failed, Rendered, anonymous_file
from orchestrator.pages.shared_file import open_shared

_POINTS_PER_INCH = 72.0
_MAX_SIDE = 30_000  # of a page as wide or high as a ribbon, in pixels
_A4_POINTS = 842.0  # the longer side
_CHUNK = 65536  # bytes that are compared at once
_MOST_SEARCHED = 64 * 1024 * 1024  # bytes of a file in which lost content is looked for
_CONTENT_LOST = Failed("INVALID_DOCUMENT", "the page's content is damaged or missing")
_SIMPLE_FILTERS = {"FlateDecode", "LZWDecode", "RunLengthDecode", "ASCII85Decode", "ASCIIHexDecode"}


class PdfFile:
    """An open PDF. It owns the descriptor."""

    def __init__(self, descriptor: int, password: str) -> None:
        self._file = open_shared(descriptor)
        try:
            self._document = pypdfium2.PdfDocument(self._file, password=password or None)
        except BaseException:
            self._file.close()
            raise
        self._document.init_forms()  # without it, what was filled into a form is not drawn

    @property
    def page_count(self) -> int:
        return len(self._document)

    def close(self) -> None:
        self._document.close()
        self._file.close()

    def render(self, index: int, dpi: float, max_megapixels: float) -> tuple[Rendered | Failed, int | None]:
        """One page over white, at `dpi`, or at a lower resolution where it would be too large.

        Raises:
            pypdfium2.PdfiumError: the page cannot be loaded.
        """
        page = self._document[index]
        try:
            width, height = page.get_size()
            useful = _useful_dpi(page, max(width, height), dpi)
            scale = fitting_scale(width, height, useful / _POINTS_PER_INCH, max_megapixels)
            if pdfium.FPDFPage_CountObjects(page) == 0 and self._content_is_lost:
                return _CONTENT_LOST, None
            return _draw(page, scale)
        finally:
            page.close()

    @cached_property
    def _content_is_lost(self) -> bool:
        if pdfium.FPDF_GetSecurityHandlerRevision(self._document) >= 0:
            return False
        self._file.seek(0)
        data = self._file.read(_MOST_SEARCHED + 1)
        return len(data) <= _MOST_SEARCHED and has_lost_content(data)


def fitting_scale(width: float, height: float, scale: float, max_megapixels: float) -> float:
    """The scale, lowered where a page of that width and height (in points) would have too many pixels."""
    by_area = math.sqrt(max_megapixels * 1e6 / max(width * height, 1e-6))
    by_side = _MAX_SIDE / max(width, height, 1e-6)
    # Both sides are rounded up to whole pixels: a little less keeps the product under the cap.
    return min(scale, by_area * 0.999, by_side)


def _useful_dpi(page: Any, longer_side: float, dpi: float) -> float:
    """The resolution, moved towards the scan's own where the page shows nothing but a scan.

    Some scanners make the page as many points as the picture has pixels, or a stamp of 2,400 dpi. Such a page
    gets its own pixels, but no fewer (where it is larger than A4) or more (where it is smaller) than A4 has.
    """
    own = _scan_dpi(page)
    if own is None or longer_side <= 0:
        return dpi
    return sorted((dpi, own, dpi * _A4_POINTS / longer_side))[1]


def _scan_dpi(page: Any) -> float | None:
    """The highest resolution of a page's pictures; None where it shows anything else, or nothing."""
    highest = 0.0
    for item in page.get_objects():
        if item.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            highest = max(highest, float(item.get_metadata().horizontal_dpi))
        elif not _is_hidden(item):
            return None
    return highest or None


def _is_hidden(item: Any) -> bool:
    """Whether it is text that is there for searching a scan only, or a group, whose parts count."""
    if item.type == pdfium.FPDF_PAGEOBJ_TEXT:
        return bool(pdfium.FPDFTextObj_GetTextRenderMode(item) == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE)
    return bool(item.type == pdfium.FPDF_PAGEOBJ_FORM)


def _draw(page: Any, scale: float) -> tuple[Rendered | Failed, int | None]:
    made: list[int] = []

    def bitmap_over_file(width: int, height: int, format: int, rev_byteorder: bool) -> Any:  # noqa: A002 (its name there)
        made.append(anonymous_file(size=width * height * 3))
        buffer = (ctypes.c_ubyte * (width * height * 3)).from_buffer(mmap.mmap(made[0], width * height * 3))
        return pypdfium2.PdfBitmap.new_native(width, height, format, rev_byteorder, buffer=buffer)

    try:
        bitmap = page.render(scale=scale, rev_byteorder=True, bitmap_maker=bitmap_over_file)
        failure = _damage(page, bitmap)
        if failure is None:
            return Rendered(bitmap.width, bitmap.height, scale * _POINTS_PER_INCH), made.pop()
        return failure, None
    finally:
        for descriptor in made:
            os.close(descriptor)


def _damage(page: Any, bitmap: Any) -> Failed | None:
    """Why a page of one colour is not what the file means it to be, if so.

    PDFium says nothing where it cannot decode a picture: a damaged scan would pass for a blank page.
    """
    if not _is_uniform(memoryview(bitmap.buffer).cast("B")):
        return None
    pictures = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE])
    if any(_is_damaged(picture) for picture in pictures):
        return Failed("INVALID_DOCUMENT", "the picture that fills the page is damaged")
    return None


def _is_uniform(view: memoryview) -> bool:
    sample = bytes(view[:1]) * _CHUNK
    return all(view[at : at + _CHUNK] == sample[: len(view) - at] for at in range(0, len(view), _CHUNK))


def _is_damaged(picture: Any) -> bool:
    """Whether a picture does not decode, or (of those that PDFium hands out decoded) to half of its size."""
    try:
        picture.get_bitmap()
    except pypdfium2.PdfiumError:
        return True
    if not set(picture.get_filters()) <= _SIMPLE_FILTERS:
        return False
    head = picture.get_metadata()
    needed = head.width * head.bits_per_pixel // 8 * head.height
    return bool(len(picture.get_data(decode_simple=True)) < needed // 2)
