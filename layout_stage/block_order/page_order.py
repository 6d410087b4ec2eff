"""The order in which the parts of a page are read, where the layout model predicts none.

After PP-StructureV3 in paddlex 3.7.2 (`pipelines/layout_parsing`). Headers come first, footers and footnotes
last, and after them what stands beside the flow (`margins`). The rest is read area by area (`areas`,
`area_order`), and each area by a recursive XY-cut (`group_order`).
"""

from collections.abc import Sequence

from arcscribe.types import Box, enclosing_box
from layout_stage.block_order.area_order import area_order
from layout_stage.block_order.areas import find_areas
from layout_stage.block_order.group_order import group_order
from layout_stage.block_order.intervals import from_corner
from layout_stage.block_order.items import items_of, runs_down
from layout_stage.block_order.margins import in_rows, place, roles_on_page
from layout_stage.block_order.roles import MARGINS, Role
from layout_stage.block_order.rows import framed
from layout_stage.parts import Part, typical_thickness
from layout_stage.ruling_lines import NO_RULES, Rules


def block_order(parts: Sequence[Part], areas: Sequence[Box] = (), rules: Rules = NO_RULES) -> tuple[int, ...]:
    """The indexes of a page's parts in the order in which they are read: each exactly once.

    It depends on kinds, boxes and the places of lines, not on the order in which parts come.

    Args:
        parts: of one page, upright and level, boxes in pixels.
        areas: what block layout found (PP-DocBlockLayout's "Region"); without any, the page is one area.
        rules: the page's ruling lines; one across columns ends them.
    """
    roles = roles_on_page(parts)
    first, last, apart = (
        in_rows((i for i, of in enumerate(roles) if of is role), parts)
        for role in (Role.HEADER, Role.FOOTER, Role.APART)
    )
    body = [i for i, role in enumerate(roles) if role not in MARGINS]
    return (*first, *_body_order(body, parts, roles, areas, rules), *last, *apart)


def _body_order(
    body: Sequence[int], parts: Sequence[Part], roles: Sequence[Role], areas: Sequence[Box], rules: Rules
) -> list[int]:
    """The parts of the flow, area by area."""
    if not body:
        return []
    body = sorted(body, key=lambda i: place(parts[i]))
    found = find_areas([parts[i].box for i in body], areas)
    groups = [[body[k] for k in sorted(area.members)] for area in found]
    vertical = runs_down([parts[i] for i, role in enumerate(roles) if role is Role.TEXT])
    boxes = [[framed(parts[i].box, vertical) for i in group] for group in groups]
    page = enclosing_box(box for group in boxes for box in group)
    order = area_order(
        [enclosing_box(group) for group in boxes],
        [min(from_corner(box, page) for box in group) for group in boxes],
    )
    em = typical_thickness([line for part in parts for line in part.lines])
    return [i for k in order for i in _group_order(groups[k], parts, roles, rules, em)]


def _group_order(
    group: Sequence[int], parts: Sequence[Part], roles: Sequence[Role], rules: Rules, em: float
) -> list[int]:
    items, vertical = items_of(group, parts, roles)
    along = [framed(rule, vertical) for rule in (rules.vertical if vertical else rules.horizontal)]
    return group_order(items, vertical, em, along)
