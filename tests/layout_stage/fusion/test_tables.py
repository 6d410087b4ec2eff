"""What is a table and what is not."""

from collections.abc import Sequence

from arcscribe.types import Box, RegionKind, TextLine
from layout_stage.cdla_boxes import LayoutBox
from layout_stage.fusion.prose import prose_lines
from layout_stage.fusion.table_evidence import TableEvidence
from layout_stage.fusion.tables import find_tables
from layout_stage.parts import Part
from layout_stage.ruling_lines import Grid, Rules, find_grids
from tests.layout_stage.pages import EM, line, paragraph

NO_RULES = Rules((), ())
COLUMNS, ROWS = (120, 320, 520), (110, 150, 190, 230)


def cells(width: float = 60) -> list[TextLine]:
    return [line(x, y, width) for y in ROWS for x in COLUMNS]


def tables(
    lines: Sequence[TextLine],
    boxes: Sequence[LayoutBox] = (),
    rules: Rules = NO_RULES,
    grids: Sequence[Grid] = (),
    seals: Sequence[Box] = (),
) -> list[Part]:
    prose = prose_lines(lines, rules.horizontal)
    return find_tables(
        TableEvidence(tuple(lines), prose, tuple(boxes), rules, tuple(grids), tuple(seals), EM)
    )


def ruled_grid() -> Rules:
    across = [Box(100, y, 620, y + 2) for y in (100, 140, 180, 220, 260)]
    down = [Box(x, 100, x + 2, 262) for x in (100, 300, 500, 618)]
    return Rules(tuple(across), tuple(down))


def test_a_grid_of_rules_that_holds_text_is_a_table() -> None:
    rules = ruled_grid()
    text = [line(120, 110, 100), line(320, 110, 100), line(120, 190, 100), line(320, 190, 90)]
    found = tables(text, rules=rules, grids=find_grids(rules, 4))
    assert [part.kind for part in found] == [RegionKind.TABLE]
    assert found[0].box == Box(100, 100, 620, 262)
    assert set(found[0].lines) == set(text)


def test_rules_that_stick_out_beyond_the_columns_do_not_widen_a_table() -> None:
    across = tuple(Box(20, y, 760, y + 2) for y in (100, 140, 180))
    rules = Rules(across, ruled_grid().vertical)
    text = [line(x, y, 100) for y in (110, 150) for x in (120, 320)]
    (found,) = tables(text, rules=rules, grids=find_grids(rules, 4))
    assert (found.box.left, found.box.right) == (100, 620)


def test_an_empty_grid_is_none() -> None:
    rules = ruled_grid()
    assert not tables([line(120, 110, 60)], rules=rules, grids=find_grids(rules, 4))


def test_a_newspaper_that_the_network_calls_a_table_is_none() -> None:
    columns = [item for x in (100, 420, 740) for item in paragraph(x, 100, 300, 20)]
    assert not tables(columns, [LayoutBox("table", 0.97, Box(90, 90, 1050, 640))])


def test_rows_that_the_network_sees_are_a_table_of_whole_lines() -> None:
    clipped = LayoutBox("table", 0.9, Box(115, 125, 600, 240))
    (found,) = tables(cells(120), [clipped])
    assert set(found.lines) == set(cells(120))
    assert found.box == Box(120, 110, 640, 250)


def test_rows_between_rules_are_a_table_that_reaches_to_the_rules() -> None:
    rules = Rules((Box(100, 95, 620, 97), Box(100, 260, 620, 262)), ())
    (found,) = tables(cells(150), rules=rules)
    assert (found.box.top, found.box.bottom) == (95, 262)


def test_regular_rows_of_short_cells_are_a_table_by_themselves() -> None:
    assert len(tables(cells())) == 1


def test_signatures_below_a_seal_are_none() -> None:
    assert not tables(cells(), seals=[Box(150, 90, 300, 240)])


def test_rows_of_four_columns_below_a_seal_are_a_table() -> None:
    fourth = [line(720, cell.box.top, 60) for cell in cells() if cell.box.left == 120]
    assert len(tables([*cells(), *fourth], seals=[Box(150, 90, 300, 240)])) == 1


def test_two_blocks_of_addresses_side_by_side_are_none() -> None:
    left, right = (
        [line(100, 100 + 30 * i, 200) for i in range(4)],
        [line(500, 100 + 30 * i, 210) for i in range(4)],
    )
    assert not tables([*left, *right])


def test_a_table_beside_running_text_leaves_the_text_alone() -> None:
    text = paragraph(700, 60, 400, 14)
    gutter_text = paragraph(120, 300, 500, 8)
    (found,) = tables([*cells(), *text, *gutter_text])
    assert set(found.lines) == set(cells())


def test_a_page_header_and_a_caption_above_the_first_rule_are_not_in_the_table() -> None:
    header = [line(120, 20, 40), line(320, 20, 200)]
    caption = line(120, 55, 240)
    rules = Rules((Box(100, 95, 620, 97), Box(100, 138, 620, 140), Box(100, 260, 620, 262)), ())
    (found,) = tables([*header, caption, *cells(150)], rules=rules)
    assert set(found.lines) == set(cells(150))


def test_a_chart_is_no_table_for_the_numbers_at_its_axes() -> None:
    ticks = [line(60, y, 30) for y in (100, 160, 220, 280)]
    legend = [line(200, y, 80) for y in (100, 160, 220, 280)]
    more = [line(400, y, 30) for y in (100, 160, 220, 280)]
    frame = Rules((Box(98, 90, 450, 92), Box(98, 310, 450, 312)), (Box(98, 90, 100, 312),))
    assert not tables([*ticks, *legend, *more], rules=frame)


def test_no_line_is_in_two_tables() -> None:
    boxes = [
        LayoutBox("table", 0.9, Box(100, 90, 620, 180)),
        LayoutBox("table", 0.8, Box(100, 150, 620, 260)),
    ]
    held = [item for part in tables(cells(), boxes) for item in part.lines]
    assert len(held) == len(set(held))
