"""What the PP-OCR engine is put together from."""

from collections.abc import Sequence
from typing import Protocol

from arcscribe.types import Crop, RgbImage, TextLine
from vlm_stage.engines.pp_ocr.seal_cutter import Inscription
from vlm_stage.reading import Reading
from vlm_stage.tables.table import Table


class Cutter(Protocol):
    """Knows the lines of a crop."""

    def lines(self, crop: Crop, /) -> tuple[TextLine, ...]: ...

    def images(self, crop: Crop, line: TextLine, /) -> list[RgbImage]:
        """One or more images of a line, 48 pixels high; the one that reads best counts."""
        ...

    def inscriptions(self, seal: Crop, /) -> tuple[Inscription, ...]:
        """What is written along a seal's ring and across its middle; nothing where it has no ring."""
        ...


class Tables(Protocol):
    """Knows the cells of a table."""

    def read(self, pixels: RgbImage, lines: Sequence[TextLine], /) -> Table: ...


class Reader(Protocol):
    """One thread's way to read lines."""

    def read(self, images: Sequence[RgbImage]) -> list[Reading]: ...

    def warm_up(self) -> None: ...


class Recognizer(Protocol):
    """Reads lines in several threads."""

    def reader(self) -> Reader: ...
