"""Putting items together that nothing may part: formulas with their numbers, pictures with captions."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from arcscribe.types import RegionKind, enclosing_box
from layout_stage.block_order.captions import belongings
from layout_stage.block_order.intervals import covered, distance, down
from layout_stage.block_order.items import Item, reframed
from layout_stage.block_order.roles import Role
from layout_stage.block_order.rows import framed
from layout_stage.block_order.xy_cut import xy_cut

_SAME_ROW = 0.5
"""Of the lower one's height, that a formula and its number have in common."""

Finder = Callable[[Item, Sequence[Item]], list[Item]]
"""From an item and the others that are free, those that belong to it; all in the item's own direction."""


def put_together(items: Sequence[Item], vertical: bool) -> list[Item]:
    """The items of one area in its reading frame, those that belong together as one.

    Args:
        items: with boxes in pixels of the page, from top to bottom.
        vertical: whether the area's text runs down the page.
    """
    families = {item.index: [item] for item in items}
    frames = {way: {item.index: reframed(item, way) for item in items} for way in (False, True)}
    for is_parent, find in _FINDERS:
        for item in filter(is_parent, items):
            if item.index not in families:
                continue
            frame = frames[item.vertical]
            others = [frame[index] for index in families if index != item.index]
            for child in find(frame[item.index], others):
                families[item.index].extend(families.pop(child.index))
    return [reframed(_as_one(family), vertical) for family in families.values()]


def _as_one(family: Sequence[Item]) -> Item:
    """A family as one item, its members by bands, each from left to right; a formula before its number."""
    parent = family[0]
    if len(family) == 1:
        return parent
    boxes = [framed(item.box, parent.vertical) for item in family]
    is_formula = parent.kind is RegionKind.FORMULA
    places = range(len(family)) if is_formula else xy_cut(boxes, bands_first=True)
    members = tuple(family[place].index for place in places)
    return replace(parent, members=members, box=enclosing_box(item.box for item in family))


def _numbers_of(formula: Item, others: Sequence[Item]) -> list[Item]:
    """The number beside a formula."""
    numbers = [other for other in others if other.kind is RegionKind.FORMULA_NUMBER]
    beside = [n for n in numbers if covered(down(n.box), down(formula.box)) >= _SAME_ROW]
    return sorted(beside, key=lambda number: distance(formula.box, number.box))[:1]


_FINDERS: tuple[tuple[Callable[[Item], bool], Finder], ...] = (
    (lambda item: item.kind is RegionKind.FORMULA, _numbers_of),
    (lambda item: item.role is Role.VISION, belongings),
)
