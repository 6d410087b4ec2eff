"""What is put into order: parts of a page with the facts about their lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from arcscribe.types import Box, RegionKind
from layout_stage.block_order.roles import Role
from layout_stage.block_order.rows import NO_ROWS, Rows, framed, guessed_rows, rows_of
from layout_stage.parts import Part

_ROW_HEIGHT = 10.0
"""Of a page without lines, in pixels (paddlex)."""


@dataclass(frozen=True, slots=True)
class Item:
    """One part, or several that stay together.

    In the reading frame text runs along x, to the right, and rows follow along y, downwards.
    """

    members: tuple[int, ...]
    """The indexes of the parts, as they are read."""
    kind: RegionKind
    role: Role
    box: Box
    vertical: bool
    """Whether its text runs down the page."""
    rows: Rows

    @property
    def index(self) -> int:
        """That of its first part, which names the item."""
        return self.members[0]


def reframed(item: Item, vertical: bool) -> Item:
    """An item, its box in pixels of the page, in the frame of text that runs down, or across."""
    return replace(item, box=framed(item.box, vertical))


def items_of(indexes: Sequence[int], parts: Sequence[Part], roles: Sequence[Role]) -> tuple[list[Item], bool]:
    """Items of an area's parts, boxes in pixels of the page, and whether the area's text runs down.

    Pictures, and what has no lines, run as the text around them does.
    """
    vertical = runs_down([parts[i] for i in indexes if roles[i] is Role.TEXT])
    known = [rows_of(parts[i].lines, vertical).height for i in indexes if parts[i].lines]
    height = max(1.0, fmean(known)) if known else _ROW_HEIGHT
    return [_item(i, parts[i], roles[i], vertical, height) for i in indexes], vertical


def _item(index: int, part: Part, role: Role, around: bool, height: float) -> Item:
    if role is Role.VISION:
        return Item((index,), part.kind, role, part.box, around, NO_ROWS)
    if not part.lines:
        rows = guessed_rows(framed(part.box, around), height)
        return Item((index,), part.kind, role, part.box, around, rows)
    vertical = _part_runs_down(part)
    return Item((index,), part.kind, role, part.box, vertical, rows_of(part.lines, vertical))


def runs_down(texts: Iterable[Part]) -> bool:
    """Whether more than half of the texts run down the page; those without lines do not count."""
    ways = [_part_runs_down(part) for part in texts if part.lines]
    return 2 * sum(ways) > len(ways)


def _part_runs_down(part: Part) -> bool:
    return 2 * sum(line.vertical for line in part.lines) > len(part.lines)
