"""The areas of a page: articles and columns that block layout found, and what it left out."""

from collections.abc import Sequence
from dataclasses import dataclass

from arcscribe.types import Box, enclosing_box
from layout_stage.block_order.intervals import across, common, covered_area, down

_BELONGS = 0.6
"""Of the smaller one, that an area and a part of it have in common (paddlex
`match_block_overlap_ratio_threshold`)."""


@dataclass(frozen=True, slots=True)
class Area:
    """Parts that are read together, by their indexes, and the box that they fill."""

    members: tuple[int, ...]
    box: Box


def find_areas(boxes: Sequence[Box], found: Sequence[Box]) -> list[Area]:
    """All parts of a page in areas: those that were found, and new ones for the parts in none.

    Args:
        boxes: the parts.
        found: the boxes of block layout; a small one takes its parts before a large one does.
    """
    free = list(range(len(boxes)))
    areas: list[Area] = []
    for area in sorted(found, key=lambda box: (box.area, box.top, box.left)):
        members = _members(area, free, boxes)
        if members:
            areas.append(_area(members, boxes))
            taken = set(members)
            free = [i for i in free if i not in taken]
    return areas + _left_out(free, boxes, [area.box for area in areas])


def _area(members: Sequence[int], boxes: Sequence[Box]) -> Area:
    return Area(tuple(members), enclosing_box(boxes[i] for i in members))


def _members(area: Box, free: Sequence[int], boxes: Sequence[Box]) -> list[int]:
    """The parts of an area, and of the box that they fill."""
    members: list[int] = []
    grown = [i for i in free if covered_area(boxes[i], area) > _BELONGS]
    while len(grown) > len(members):
        members, known = grown, set(grown)
        filled = enclosing_box(boxes[i] for i in members)
        grown = [i for i in free if i in known or covered_area(boxes[i], filled) > _BELONGS]
    return members


def _left_out(free: Sequence[int], boxes: Sequence[Box], areas: Sequence[Box]) -> list[Area]:
    """Parts in no area, put together as long as what they fill meets none."""
    sets: list[Area] = []
    for i in sorted(free, key=lambda i: (boxes[i].top, boxes[i].left)):
        for k, known in enumerate(sets):
            joined = known.box.union(boxes[i])
            if not any(overlaps(joined, area) for area in areas):
                sets[k] = Area((*known.members, i), joined)
                break
        else:
            sets.append(Area((i,), boxes[i]))
    return sets


def overlaps(a: Box, b: Box) -> bool:
    """Whether two boxes have an area in common."""
    return common(across(a), across(b)) > 0 and common(down(a), down(b)) > 0
