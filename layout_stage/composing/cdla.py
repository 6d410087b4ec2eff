"""Pages with layout_cdla, whose boxes are weighed against lines, ruling lines and white space."""

from collections.abc import Callable, Sequence

from arcscribe.types import RgbImage, TextLine
from layout_stage.block_order.page_order import block_order
from layout_stage.cdla_boxes import LayoutBox
from layout_stage.composing.composer import Lap
from layout_stage.fusion.fuse import fuse
from layout_stage.parts import Part
from layout_stage.seals import lift_seals


class CdlaComposer:
    """Composes pages with a network of layout_cdla's classes."""

    def __init__(self, detect: Callable[[RgbImage], Sequence[LayoutBox]]) -> None:
        """Takes what finds the network's boxes, the doubtful included, in pixels of the page."""
        self._detect = detect

    def compose(
        self, image: RgbImage, lines: Sequence[TextLine], seals: Sequence[Part], lap: Lap
    ) -> Sequence[Part]:
        """As `Composer.compose` says."""
        boxes = self._detect(image)
        lap("layout")
        unstamped = lift_seals(image, [seal.box for seal in seals])
        parts, rules = fuse(unstamped, lines, boxes, seals)
        lap("fusion")
        ordered = [parts[i] for i in block_order(parts, rules=rules)]
        lap("reading_order")
        return ordered
