"""The order in which the areas of a page are read.

After paddlex 3.7.2, where areas go through the same steps as blocks, with rules of their own at each.
"""

from collections.abc import Sequence

from arcscribe.types import Box, enclosing_box
from layout_stage.block_order.areas import overlaps
from layout_stage.block_order.intervals import across, common, down, parted
from layout_stage.block_order.xy_cut import xy_cut


def area_order(boxes: Sequence[Box], distances: Sequence[float]) -> list[int]:
    """The indexes of areas as they are read.

    Areas that overlap are read one after the other, from the corner of the page outwards. A band of areas is
    read before the next one, column by column; an area that closes the gutters between others is read where
    its distance from the corner puts it.

    Args:
        boxes: the areas in the page's reading frame.
        distances: how far each starts from the corner where reading starts, in pixels.
    """
    families = _families(boxes)
    frames = [enclosing_box(boxes[k] for k in family) for family in families]
    nearest = [distances[family[0]] for family in families]
    bands = parted(range(len(families)), lambda k: down(frames[k]))
    order = [k for band in bands for k in _band(band, frames, nearest)]
    return [i for k in order for i in sorted(families[k], key=lambda i: distances[i])]


def _families(boxes: Sequence[Box]) -> list[list[int]]:
    """Each area, from the largest on, with the smaller ones that what is in its family overlaps."""
    free = sorted(range(len(boxes)), key=lambda k: -boxes[k].area)
    families = []
    while free:
        family, filled = [free[0]], boxes[free[0]]
        for k in free[1:]:
            if overlaps(filled, boxes[k]):
                family.append(k)
                filled = filled.union(boxes[k])
        families.append(family)
        taken = set(family)
        free = [k for k in free if k not in taken]
    return families


def _band(band: list[int], frames: Sequence[Box], distances: Sequence[float]) -> list[int]:
    """Areas of one band as they are read."""
    wide = [] if _columns(band, frames) > 1 else [k for k in band if _spans(k, band, frames)]
    ordered = _cut([k for k in band if k not in wide], frames)
    for k in sorted(wide, key=lambda k: distances[k]):
        farther = [place for place, other in enumerate(ordered) if distances[other] > distances[k]]
        ordered.insert(farther[0] if farther else len(ordered), k)
    return ordered


def _columns(band: list[int], frames: Sequence[Box]) -> int:
    return len(parted(band, lambda k: across(frames[k])))


def _cut(band: list[int], frames: Sequence[Box]) -> list[int]:
    one_column = _columns(band, frames) == 1
    return [band[i] for i in xy_cut([frames[k] for k in band], bands_first=one_column)]


def _spans(k: int, band: Sequence[int], frames: Sequence[Box]) -> bool:
    """Whether an area lies over two that stand beside each other."""
    lane = [other for other in band if other != k and common(across(frames[k]), across(frames[other])) > 0]
    return any(
        common(across(frames[a]), across(frames[b])) == 0 and common(down(frames[a]), down(frames[b])) > 0
        for at, a in enumerate(lane)
        for b in lane[at + 1 :]
    )
