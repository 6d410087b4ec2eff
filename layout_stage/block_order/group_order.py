"""The order of one area: slices, columns and bands, with what reaches over columns put back.

Titles are put together with their subtitles and pictures with their captions (`together`). The area is cut
into slices (`slices`). What reaches over columns is set aside (`spanning`), each slice is cut into columns
and bands (`xy_cut`), and what was set aside is put back (`insertion`).
"""

from collections.abc import Sequence

from layout_stage.block_order.insertion import insert
from layout_stage.block_order.intervals import across, parted
from layout_stage.block_order.items import Item, TextSize
from layout_stage.block_order.roles import Role
from layout_stage.block_order.slices import slices
from layout_stage.block_order.spanning import spanning
from layout_stage.block_order.together import put_together
from layout_stage.block_order.xy_cut import drawn_apart, xy_cut

_DEEPEST = 8
"""Columns in slices of columns; deeper, boxes are no page's."""


def group_order(items: Sequence[Item], vertical: bool) -> list[int]:
    """The indexes of an area's parts as they are read.

    Args:
        items: its parts, boxes in pixels of the page, from top to bottom.
        vertical: whether its text runs down the page.
    """
    size = TextSize.of(items)
    ordered = _read(put_together(items, vertical), size, _DEEPEST)
    return [index for item in ordered for index in item.members]


def _read(items: Sequence[Item], size: TextSize, depth: int) -> list[Item]:
    """Items as they are read; columns with a gutter all the way down are read as areas of their own."""
    ordered: list[Item] = []
    aside: list[Item] = []
    for piece in slices(items, size):
        titles = [item for item in piece if item.role is Role.TITLE]
        flow = [item for item in piece if item.role is not Role.TITLE]
        columns = parted(flow, lambda item: across(item.box))
        if len(columns) > 1 and depth and any(item.rows.count > 1 for item in flow):
            read = [item for column in columns for item in _read(column, size, depth - 1)]
        else:
            wide = spanning(flow)
            aside += [item for k, item in enumerate(flow) if k in wide]
            read = _cut([item for k, item in enumerate(flow) if k not in wide], size)
        ordered += _with_titles(titles, read, size)
    for item in _from_the_top(aside, size):
        ordered = insert(item, ordered)
    return ordered


def _with_titles(titles: Sequence[Item], ordered: list[Item], size: TextSize) -> list[Item]:
    """A slice with its titles; the first one opens it."""
    for number, title in enumerate(_from_the_top(titles, size)):
        ordered = insert(title, ordered) if number else [title, *ordered]
    return ordered


def _from_the_top(items: Sequence[Item], size: TextSize) -> list[Item]:
    """Items by rows of text, those that start in one row from left to right."""
    return sorted(items, key=lambda item: (item.box.top // size.row_height, item.box.left))


def _cut(items: Sequence[Item], size: TextSize) -> list[Item]:
    """What columns hold, as it is read; by bands where there is but one column, or single rows only."""
    one_column = len(parted(items, lambda item: across(item.box))) == 1
    bands_first = one_column or all(item.rows.count == 1 for item in items)
    ordered = _by_bands(items, size) if bands_first else _by_columns(items, size)
    boxes = drawn_apart([item.box for item in ordered])
    return [ordered[i] for i in xy_cut(boxes, bands_first=bands_first)]


def _by_bands(items: Sequence[Item], size: TextSize) -> list[Item]:
    half = max(1.0, size.row_height // 2)
    return sorted(items, key=lambda item: (item.box.top // half, item.box.left))


def _by_columns(items: Sequence[Item], size: TextSize) -> list[Item]:
    half = max(1.0, size.row_length // 2)
    return sorted(items, key=lambda item: (item.box.left // half, item.box.top))
