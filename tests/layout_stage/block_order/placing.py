"""Items for tests of single steps."""

from arcscribe.types import Box, RegionKind, TextLine
from layout_stage.block_order.items import Item
from layout_stage.block_order.roles import role_of
from layout_stage.block_order.rows import NO_ROWS, rows_of


def item(
    index: int,
    kind: RegionKind,
    left: float,
    top: float,
    right: float,
    bottom: float,
    *,
    vertical: bool = False,
) -> Item:
    """An item whose box is full of rows, each 20 pixels high with 8 pixels between them."""
    box = Box(left, top, right, bottom)
    role = role_of(kind)
    lines = [TextLine(own, own.to_polygon(), 0.9, vertical) for own in _row_boxes(box, vertical=vertical)]
    rows = rows_of(lines, vertical) if lines and kind not in _PICTURES else NO_ROWS
    return Item((index,), kind, role, box, vertical, rows)


_PICTURES = frozenset({RegionKind.IMAGE, RegionKind.TABLE, RegionKind.CHART})


def _row_boxes(box: Box, *, vertical: bool) -> list[Box]:
    depth = box.width if vertical else box.height
    starts = [28 * i for i in range(max(1, int((depth + 8) // 28)))]
    if vertical:
        return [Box(box.right - at - 20, box.top, box.right - at, box.bottom) for at in starts]
    return [Box(box.left, box.top + at, box.right, box.top + at + 20) for at in starts]
