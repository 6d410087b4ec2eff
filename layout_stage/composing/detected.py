"""Pages with a model of PP-StructureV3, whose regions are taken as they are.

Text lines add to it what the model left out: a region grows to its whole lines, and lines that lie in no
region become paragraphs of their own. Where the model's regions hold every line, nothing changes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from arcscribe.types import Box, RegionKind, RgbImage, TextLine
from layout_stage.block_order.page_order import block_order
from layout_stage.composing.composer import Lap
from layout_stage.composing.held_lines import held_lines
from layout_stage.detection.detections import Detection
from layout_stage.detection.labels import kind_of
from layout_stage.fusion.fuse import paragraphs_beside
from layout_stage.line_pieces import merge_pieces
from layout_stage.parts import Part, ink_box
from layout_stage.seals import lift_seals
from layout_stage.text_lines import without_nested

_SAME_SEAL = 0.5
"""Of a seal that the model found lies in one that was found by its colour."""


Order = Callable[[Sequence[Part], Sequence[Box]], Sequence[int]]
"""Gives the indexes of a page's parts as they are read, each once; the boxes are those of block layout."""


class Detector(Protocol):
    """A layout network of PP-StructureV3."""

    def detect(self, image: RgbImage) -> Sequence[Detection]:
        """What is on a page, in predicted reading order if the network predicts one."""
        ...


class DetectedComposer:
    """Composes pages with a layout network, and one for blocks where there is one."""

    def __init__(
        self, detector: Detector, blocks: Detector | None = None, order: Order = block_order
    ) -> None:
        self._detector, self._blocks, self._order = detector, blocks, order

    def compose(
        self, image: RgbImage, lines: Sequence[TextLine], seals: Sequence[Part], lap: Lap
    ) -> Sequence[Part]:
        """As `Composer.compose` says."""
        found = self._detector.detect(image)
        areas = [block.box for block in self._blocks.detect(image)] if self._blocks else []
        lap("layout")
        whole = merge_pieces(without_nested(lines))
        regions = _regions(found, whole, seals)
        held = {line for part in regions for line in part.lines}
        rest = [line for line in whole if line not in held]
        unstamped = lift_seals(image, [seal.box for seal in seals]) if rest else image
        rescued = paragraphs_beside(unstamped, rest, whole, [*regions, *seals])
        lap("fusion")
        others = [*seals, *rescued]
        order = self._order([*regions, *others], areas)
        ordered = _in_order(regions, others, order, predicted=_is_predicted(found))
        lap("reading_order")
        return ordered


def _in_order(
    regions: Sequence[Part], others: Sequence[Part], order: Sequence[int], *, predicted: bool
) -> list[Part]:
    """All parts in reading order.

    Args:
        regions: what the model found; in the order that it predicts, if `predicted`.
        others: what it did not find.
        order: the indexes of all, the regions before the others, as rules have them read.
        predicted: whether each of the others goes behind the region that it follows on the page, and all
            regions stay in their order.
    """
    parts = [*regions, *others]
    if not predicted:
        return [parts[i] for i in order]
    last, keys = -1, {}
    for place, i in enumerate(order):
        if i < len(regions):
            last = i
        keys[i] = (last, -1 if i == last else place)
    return [parts[i] for i in sorted(keys, key=keys.__getitem__)]


def _is_predicted(found: Sequence[Detection]) -> bool:
    return bool(found) and all(detection.order is not None for detection in found)


def _regions(found: Sequence[Detection], lines: Sequence[TextLine], seals: Sequence[Part]) -> list[Part]:
    """The model's regions with the lines that they hold."""
    kept = [detection for detection in found if not _is_known_seal(detection, seals)]
    held = held_lines([detection.box for detection in kept], lines)
    return [_region(detection, own) for detection, own in zip(kept, held, strict=True)]


def _is_known_seal(detection: Detection, seals: Sequence[Part]) -> bool:
    return kind_of(detection.label) is RegionKind.SEAL and any(
        detection.box.coverage_by(seal.box) >= _SAME_SEAL or seal.box.coverage_by(detection.box) >= _SAME_SEAL
        for seal in seals
    )


def _region(detection: Detection, lines: tuple[TextLine, ...]) -> Part:
    box = detection.box
    for line in lines:
        ink = ink_box(line)
        if ink.intersection(box) != ink:
            box = box.union(line.box)
    part = Part.of(kind_of(detection.label), detection.label, detection.score, box, lines)
    outline = detection.polygon if box == detection.box else None
    return replace(part, polygon=outline) if outline else part
