"""What is put into order: parts of a page with the facts about their lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from arcscribe.types import Box, RegionKind
from layout_stage.block_order.roles import Role
from layout_stage.block_order.rows import NO_ROWS, Rows, framed, guessed_rows, rows_of
from layout_stage.parts import Part

_ROW_HEIGHT, _ROW_LENGTH = 10.0, 20.0
"""Those of a page without running text, in pixels (paddlex)."""


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
    along: bool
    """Whether its text runs as that of what is around it."""
    rows: Rows

    @property
    def index(self) -> int:
        """That of its first part, which names the item."""
        return self.members[0]

    @property
    def length(self) -> float:
        """How far its text can run, in pixels."""
        return self.box.width if self.along else self.box.height


@dataclass(frozen=True, slots=True)
class TextSize:
    """How large the text of a group of items is on average, in pixels."""

    row_height: float
    row_length: float

    @classmethod
    def of(cls, items: Iterable[Item]) -> "TextSize":
        """That of running text."""
        rows = [item.rows for item in items if item.role is Role.TEXT and item.rows.height > 0]
        if not rows:
            return cls(_ROW_HEIGHT, _ROW_LENGTH)
        return cls(fmean(row.height for row in rows), fmean(row.length for row in rows))


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
        return Item((index,), part.kind, role, part.box, around, along=True, rows=NO_ROWS)
    if not part.lines:
        rows = guessed_rows(framed(part.box, around), height)
        return Item((index,), part.kind, role, part.box, around, along=True, rows=rows)
    vertical = _part_runs_down(part)
    rows = rows_of(part.lines, vertical)
    return Item((index,), part.kind, role, part.box, vertical, along=vertical == around, rows=rows)


def runs_down(texts: Iterable[Part]) -> bool:
    """Whether more than half of the texts run down the page; those without lines do not count."""
    ways = [_part_runs_down(part) for part in texts if part.lines]
    return 2 * sum(ways) > len(ways)


def _part_runs_down(part: Part) -> bool:
    return 2 * sum(line.vertical for line in part.lines) > len(part.lines)
