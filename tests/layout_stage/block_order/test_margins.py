"""Roles of parts on their page, and rows of those in the margins."""

from arcscribe.types import Box, RegionKind
from layout_stage.block_order.margins import in_rows, roles_on_page
from layout_stage.block_order.roles import Role
from layout_stage.parts import Part


def part(kind: RegionKind, left: float, top: float, right: float, bottom: float) -> Part:
    return Part.of(kind, kind.value, 0.9, Box(left, top, right, bottom), ())


TEXT = part(RegionKind.TEXT, 100, 300, 900, 600)


def test_a_footnote_above_the_end_of_the_text_is_text() -> None:
    above, below = (
        part(RegionKind.FOOTNOTE, 100, 500, 400, 550),
        part(RegionKind.FOOTNOTE, 100, 620, 400, 650),
    )
    assert roles_on_page([above, below, TEXT]) == [Role.TEXT, Role.FOOTER, Role.TEXT]


def test_rows_are_read_from_the_left_whatever_stands_a_little_higher() -> None:
    parts = [
        part(RegionKind.FOOTER, 600, 895, 800, 915),
        part(RegionKind.FOOTER, 100, 900, 300, 920),
        part(RegionKind.FOOTER, 100, 930, 300, 950),
    ]
    assert in_rows(range(3), parts) == [1, 0, 2]
