"""Pages with layout_cdla, whose boxes are weighed against lines, ruling lines and white space."""

from collections.abc import Callable, Sequence

from arcscribe.types import RegionKind, RgbImage, TextLine
from layout_stage.composing.composer import Lap
from layout_stage.fusion.fuse import fuse
from layout_stage.parts import Part, runs_down, turned
from layout_stage.postprocess import LayoutBox
from layout_stage.reading_order import reading_order
from layout_stage.ruling_lines import Rules
from layout_stage.seals import lift_seals

_FIRST = frozenset({RegionKind.HEADER, RegionKind.HEADER_IMAGE})
_LAST = frozenset({RegionKind.FOOTER, RegionKind.FOOTER_IMAGE, RegionKind.NUMBER})


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
        parts, rules, em = fuse(unstamped, lines, boxes, seals)
        lap("fusion")
        ordered = in_order(parts, rules, em)
        lap("reading_order")
        return ordered


def in_order(parts: Sequence[Part], rules: Rules, em: float) -> list[Part]:
    """Parts as they are read: headers, then the body, then footers and page numbers."""
    ordered: list[Part] = []
    first = [p for p in parts if p.kind in _FIRST]
    last = [p for p in parts if p.kind in _LAST]
    body = [p for p in parts if p.kind not in _FIRST and p.kind not in _LAST]
    for group in (first, body, last):
        ordered.extend(_read(group, rules, em))
    return ordered


def _read(parts: Sequence[Part], rules: Rules, em: float) -> list[Part]:
    """Parts of one group in order; vertical text in turned coordinates, where it runs like horizontal."""
    boxes = [part.box for part in parts]
    bars = rules.horizontal
    if runs_down([line for part in parts for line in part.lines]):
        boxes, bars = [turned(box) for box in boxes], tuple(turned(b) for b in rules.vertical)
    return [parts[i] for i in reading_order(boxes, em, bars)]
