"""What a document may cost, and at which resolution its pages are rendered."""

from dataclasses import dataclass

DEFAULT_DPI = 200
"""Resolution at which PDF pages are rendered."""

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class PageLimits:
    """Limits of the page source. Megapixels are millions of pixels."""

    max_document_mib: int = 256
    max_pages: int = 5000
    """How many pages may be asked for in one document."""
    max_page_megapixels: float = 16.0
    """A PDF page that would be larger is rendered at a lower resolution, a picture scaled down."""
    max_picture_megapixels: float = 90.0
    """A larger picture is refused. JPEG, which is decoded at a fraction of its size, and bilevel TIFF,
    which takes a quarter of the memory, may be four times as large."""
    max_page_seconds: float = 60.0
    """A page that takes longer is given up, and its worker replaced."""
    max_worker_mib: int = 1024
    """Memory that a worker may take beyond what it starts with."""
