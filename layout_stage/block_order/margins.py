"""What a page's margins hold, and which role each part plays on its page."""

from collections.abc import Iterable, Sequence

from arcscribe.types import RegionKind
from layout_stage.block_order.intervals import covered, down
from layout_stage.block_order.roles import Role, role_of
from layout_stage.parts import Part

_SAME_ROW = 0.5
"""Of the lower one's height, that two parts of a row have in common."""


def roles_on_page(parts: Sequence[Part]) -> list[Role]:
    """Each part's role: that of its kind, but for footnotes amid text."""
    roles = [role_of(part.kind) for part in parts]
    lowest = max((part.box.bottom for part in parts if part.kind is RegionKind.TEXT), default=float("-inf"))
    for i, part in enumerate(parts):
        if part.kind is RegionKind.FOOTNOTE and part.box.bottom < lowest:
            roles[i] = Role.TEXT
    return roles


def in_rows(indexes: Iterable[int], parts: Sequence[Part]) -> list[int]:
    """Parts row by row from the top, each row from left to right."""
    rows: list[list[int]] = []
    for i in sorted(indexes, key=lambda i: place(parts[i])):
        if rows and covered(down(parts[rows[-1][0]].box), down(parts[i].box)) >= _SAME_ROW:
            rows[-1].append(i)
        else:
            rows.append([i])
    return [i for row in rows for i in sorted(row, key=lambda i: parts[i].box.left)]


def place(part: Part) -> tuple[float, float, float, float, str]:
    """A key to sort parts from top to bottom, whatever order they come in."""
    box = part.box
    return box.top, box.left, box.bottom, box.right, part.kind
