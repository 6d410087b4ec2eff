"""What a document may cost, and at which resolution its pages are rendered."""

from typing import Annotated

import msgspec

DEFAULT_DPI = 200
"""Resolution at which PDF pages are rendered."""

MIB = 1024 * 1024

Positive = Annotated[int, msgspec.Meta(ge=1)]
PositiveAmount = Annotated[float, msgspec.Meta(gt=0)]


class PageLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of the page source: the table `[pages]` of the orchestrator's file. A megapixel is 10^6."""

    max_document_mib: Positive = 256
    max_pages: Positive = 5000
    """How many pages may be asked for in one document."""
    max_page_megapixels: PositiveAmount = 16.0
    """A PDF page that would be larger is rendered at a lower resolution, a picture scaled down."""
    max_picture_megapixels: PositiveAmount = 90.0
    """A larger picture is refused. JPEG, which is decoded at a fraction of its size, and bilevel TIFF,
    which takes a quarter of the memory, may be four times as large."""
    max_page_seconds: PositiveAmount = 60.0
    """A page that takes longer is given up, and its worker replaced."""
    max_worker_mib: Positive = 1024
    """Memory that a worker may take beyond what it starts with."""
