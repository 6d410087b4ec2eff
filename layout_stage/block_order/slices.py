"""Cutting an area into slices that are read one after the other, before anything is put into columns."""

from collections.abc import Sequence
from itertools import pairwise

from arcscribe.types import enclosing_box
from layout_stage.block_order.intervals import across, common, down, hollows, parted
from layout_stage.block_order.items import Item, TextSize
from layout_stage.block_order.roles import Role

_CENTRED = 0.2
"""The share of its length by which an item may be off the middle of the page and still part it
(paddlex: a fifth)."""
_LARGE_GAP, _GAP = 3.0, 1.2
"""Rows of white that always part a page, and that part it where the columns change (paddlex)."""


def slices(items: Sequence[Item], size: TextSize) -> list[list[Item]]:
    """Items in sets from top to bottom, each with all bands between two cuts.

    A cut is above and below what stands alone in its row, in the middle of the page or over several columns.
    If something spans all columns, or there is but one, a cut also is where the white between two bands is
    large, and where it is smaller but the columns above are others than those below.
    """
    if not items:
        return []
    bands = parted(items, lambda item: down(item.box))
    middle = enclosing_box(item.box for item in items).center[0]
    flow = [item for item in items if item.role is not Role.VISION]
    one_column = len(parted(flow, lambda item: across(item.box))) == 1
    sets = [list(bands[0])]
    borders = [_is_border(k, bands, middle) for k in range(len(bands))]
    for (above, below), (before, after) in zip(pairwise(bands), pairwise(borders), strict=True):
        if before or after or (one_column and _parts(sets[-1], above, below, size)):
            sets.append([])
        sets[-1].extend(below)
    return sets


def _is_border(k: int, bands: Sequence[Sequence[Item]], middle: float) -> bool:
    """Whether a band parts those above from those below: one item, in the middle or over columns."""
    item = bands[k][0]
    if len(bands[k]) > 1 or not item.along:
        return False
    if abs(item.box.center[0] - middle) <= _CENTRED * item.length:
        return True
    return any(_reaches_over_columns(item, band) for band in bands[max(0, k - 1) : k + 2])


def _reaches_over_columns(item: Item, band: Sequence[Item]) -> bool:
    columns = parted(band, lambda other: across(other.box))
    return sum(any(common(across(item.box), across(o.box)) for o in column) for column in columns) > 1


def _parts(before: Sequence[Item], above: Sequence[Item], below: Sequence[Item], size: TextSize) -> bool:
    """Whether the white between two bands is a border; `before` is all since the last one."""
    white = min(item.box.top for item in below) - max(item.box.bottom for item in above)
    if white >= _LARGE_GAP * size.row_height:
        return True
    return white > _GAP * size.row_height and _columns_change(before, below)


def _columns_change(above: Sequence[Item], below: Sequence[Item]) -> bool:
    """Whether a gutter on one side meets none on the other, where both sides have gutters."""
    upper, lower = (hollows([across(item.box) for item in side]) for side in (above, below))
    together = parted([*upper, *lower], lambda interval: interval)
    return len(together) != max(len(upper), len(lower))
