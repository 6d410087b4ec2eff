"""The order of one area: its columns and bands, once what belongs together is put together.

Pictures are put together with their captions and formulas with their numbers (`together`); then the recursive
XY-cut orders them (`reading_order`).
"""

from collections.abc import Sequence

from arcscribe.types import Box
from layout_stage.block_order.items import Item
from layout_stage.block_order.reading_order import reading_order
from layout_stage.block_order.together import put_together


def group_order(items: Sequence[Item], vertical: bool, em: float, separators: Sequence[Box]) -> list[int]:
    """The indexes of an area's parts as they are read.

    Args:
        items: its parts, boxes in pixels of the page, from top to bottom.
        vertical: whether its text runs down the page.
        em: the height of the page's text, in pixels.
        separators: ruling lines along its rows, in the area's reading frame.
    """
    together = put_together(items, vertical)
    cells = [k for k, item in enumerate(together) if item.rows.count == 1]
    order = reading_order([item.box for item in together], em, separators, cells)
    return [index for k in order for index in together[k].members]
