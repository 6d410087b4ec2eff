"""The order in which the parts of a page are read: a recursive XY-cut.

Nagy and Seth, "Hierarchical Representation of Optically Scanned Documents", 1984. A page is cut along a
gutter into columns, or else between its bands; bands that have a gutter in common are one zone of columns, so
that a gap which happens to run across two columns does not tear them apart. Where no cut is possible, the
order is Breuel's (`precedence`).
"""

from collections.abc import Collection, Sequence

from arcscribe.types import Box, enclosing_box
from layout_stage.block_order.precedence import by_precedence
from layout_stage.gutters import Interval, free_intervals
from layout_stage.parts import overlap

_SHRINK = 0.15
"""Heights of text taken off each side of a box, so that boxes that overlap a little can still be parted."""
_GUTTER = 0.3
"""The least white between columns, in heights of text, once boxes are shrunk."""
_COLUMN = 6.0
"""The least width of a column of text, in heights of its text."""
_SEPARATING = 0.6
"""The share of the width of what it parts that a rule between two sets of columns takes."""
_DEEPEST = 50
"""Cuts inside of cuts; deeper, boxes are no page's."""


def reading_order(
    boxes: Sequence[Box], em: float, separators: Sequence[Box] = (), cells: Collection[int] = ()
) -> tuple[int, ...]:
    """The indexes of boxes in the order in which they are read, from left to right and from top to bottom.

    Args:
        boxes: the parts of a page.
        em: the height of the page's text in pixels.
        separators: ruling lines; columns above and below a rule across both are two sets of columns.
        cells: the indexes of those that hold a picture or a single row; a grid of nothing else is read row
            by row.
    """
    shrunk = {i: _shrunk(box, _SHRINK * em) for i, box in enumerate(boxes)}
    return tuple(_Cutter(shrunk, em, separators, frozenset(cells)).order(list(shrunk), _DEEPEST))


def _shrunk(box: Box, margin: float) -> Box:
    dx, dy = min(margin, box.width / 3), min(margin, box.height / 3)
    return Box(box.left + dx, box.top + dy, box.right - dx, box.bottom - dy)


def _are_rows(bands: Sequence[Sequence[int]]) -> bool:
    """Whether bands are rows of a grid or form: all hold several boxes, but for the last one."""
    return len(bands) > 1 and all(len(band) > 1 for band in bands[:-1])


class _Cutter:
    """Cuts sets of boxes, which are named by their indexes."""

    def __init__(
        self, boxes: dict[int, Box], em: float, separators: Sequence[Box], cells: frozenset[int]
    ) -> None:
        self._boxes = boxes
        self._em = em
        self._gutter = _GUTTER * em
        self._separators = separators
        self._cells = cells

    def order(self, items: list[int], depth: int) -> list[int]:
        """The items as they are read."""
        if len(items) < 2:
            return items
        pieces = self._pieces(items)
        if len(pieces) < 2 or not depth:
            return by_precedence(items, self._boxes)
        return [i for piece in pieces for i in self.order(piece, depth - 1)]

    def _pieces(self, items: list[int]) -> list[list[int]]:
        """Items cut once, into zones, else columns, else bands; one piece where no cut is possible."""
        bands = self._bands(items)
        if self._cells.issuperset(items) and _are_rows(bands):
            return bands
        zones = self._zones(bands)
        if len(zones) > 1:
            return zones
        columns = self._columns(items)
        return columns if len(columns) > 1 else bands

    def _bands(self, items: list[int]) -> list[list[int]]:
        """Sets of items with a horizontal gap between each and the next, from top to bottom."""
        ordered = sorted(items, key=lambda i: (self._boxes[i].top, self._boxes[i].left))
        bands: list[list[int]] = []
        reach = float("-inf")
        for i in ordered:
            if self._boxes[i].top >= reach:
                bands.append([])
            bands[-1].append(i)
            reach = max(reach, self._boxes[i].bottom)
        return bands

    def _columns(self, items: list[int]) -> list[list[int]]:
        """Sets of items with a gutter between each and the next, from left to right."""
        gutters = self._gutters(items)
        columns: list[list[int]] = [[] for _ in range(len(gutters) + 1)]
        for i in sorted(items, key=lambda i: (self._boxes[i].top, self._boxes[i].left)):
            columns[sum(1 for low, _ in gutters if self._boxes[i].left > low)].append(i)
        return columns

    def _gutters(self, items: Sequence[int]) -> list[Interval]:
        return free_intervals([self._boxes[i] for i in items], self._gutter)

    def _zones(self, bands: list[list[int]]) -> list[list[int]]:
        """Bands put together as long as they have all their gutters in common."""
        zones: list[list[list[int]]] = []
        for band in bands:
            if zones and self._joins(zones[-1], band):
                zones[-1].append(band)
            else:
                if zones and self._heads(zones[-1], band):
                    heading = zones[-1].pop()
                    zones.append([heading])
                zones.append([band])
        return [[i for band in zone for i in band] for zone in zones]

    def _joins(self, zone: list[list[int]], band: list[int]) -> bool:
        """Whether a band belongs to columns: it leaves their gutters free, or goes on with one of them."""
        above = [i for other in zone for i in other]
        gutters = self._gutters(above)
        if not gutters and not self._gutters(band):
            return False
        common = self._gutters([*above, *band])
        if not common or self._is_separated(zone[-1], band, gutters):
            return False
        if self._goes_on(above, band):
            return True
        boxes = [self._boxes[i] for i in band]
        fills = any(low <= box.left and box.right <= high for box in boxes for low, high in gutters)
        return not fills and len(common) >= len(gutters)

    def _goes_on(self, above: Sequence[int], band: Sequence[int]) -> bool:
        """Whether a column of text runs through: something above and something below have the same edges."""
        pairs = ((self._boxes[i], self._boxes[j]) for i in above for j in band)
        return any(
            abs(a.left - b.left) <= self._em
            and abs(a.right - b.right) <= self._em
            and a.width >= _COLUMN * self._em
            for a, b in pairs
        )

    def _heads(self, zone: list[list[int]], band: list[int]) -> bool:
        """Whether the last band of columns is one box, nearer to what follows, and so a heading of that."""
        if len(zone) < 2 or len(zone[-1]) > 1:
            return False
        heading = self._boxes[zone[-1][0]]
        above = heading.top - max(self._boxes[i].bottom for i in zone[-2])
        return min(self._boxes[i].top for i in band) - heading.bottom < above

    def _is_separated(self, above: list[int], below: list[int], gutters: list[Interval]) -> bool:
        """Whether a rule runs between two bands and across a gutter."""
        top = min(self._boxes[i].bottom for i in above)
        bottom = max(self._boxes[i].top for i in below)
        whole = enclosing_box(self._boxes[i] for i in [*above, *below])
        return any(
            top <= rule.center[1] <= bottom
            and overlap(rule.left, rule.right, whole.left, whole.right) >= _SEPARATING * whole.width
            and any(rule.left < low and rule.right > high for low, high in gutters)
            for rule in self._separators
        )
