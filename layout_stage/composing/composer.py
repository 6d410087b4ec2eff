"""What turns a page's lines and seals into its parts, whatever the layout model."""

from collections.abc import Callable, Sequence
from typing import Protocol

from arcscribe.types import RgbImage, TextLine
from layout_stage.parts import Part

Lap = Callable[[str], None]
"""Is called with the name of each step that has ended."""


class Composer(Protocol):
    """Asks a layout model about a page, and puts together what it says and what was found without it."""

    def compose(
        self, image: RgbImage, lines: Sequence[TextLine], seals: Sequence[Part], lap: Lap
    ) -> Sequence[Part]:
        """The page's parts in reading order; each line is in exactly one, pieces of a line joined.

        Args:
            image: the page, upright and level.
            lines: its text lines, without those of its seals.
            seals: its seals with their lines.
            lap: is told `layout`, `fusion` and `reading_order` as they end.
        """
        ...
