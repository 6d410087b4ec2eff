"""Any page is ordered, and what a page's parts are decides how."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Box, RegionKind, TextLine
from layout_stage.block_order.page_order import block_order
from layout_stage.parts import Part
from layout_stage.ruling_lines import Rules
from tests.layout_stage.block_order.generated_pages import generated_pages
from tests.layout_stage.block_order.typesetter import GeneratedPage, Typesetter

coordinates = st.integers(0, 40).map(lambda value: 25.0 * value) | st.floats(-100, 1500)
sides = st.integers(0, 20).map(lambda value: 25.0 * value) | st.floats(-100, 900)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    left, top = draw(coordinates), draw(coordinates)
    return Box(left, top, left + draw(sides), top + draw(sides))


lines = st.builds(
    lambda box, vertical: TextLine(box, box.to_polygon(), 0.9, vertical), boxes(), st.booleans()
)
parts = st.builds(
    lambda kind, box, own: Part.of(kind, kind.value, 0.9, box, own),
    st.sampled_from(RegionKind),
    boxes(),
    st.lists(lines, max_size=3),
)
pages = st.lists(parts, max_size=25)
areas = st.lists(boxes(), max_size=4)


@given(pages, areas)
def test_every_part_is_read_once(page: list[Part], found: list[Box]) -> None:
    assert sorted(block_order(page, found)) == list(range(len(page)))


@given(st.lists(parts, max_size=12), areas, st.randoms())
def test_the_order_in_which_parts_come_does_not_matter(
    page: list[Part], found: list[Box], chance: random.Random
) -> None:
    shuffled = [*page]
    chance.shuffle(shuffled)
    read, read_shuffled = ([p[i] for i in block_order(p, found)] for p in (page, shuffled))
    assert [(part.kind, part.box) for part in read] == [(part.kind, part.box) for part in read_shuffled]


@given(st.sampled_from(generated_pages()), st.integers(-200, 200), st.integers(-200, 200))
def test_a_page_that_is_moved_is_read_the_same(page: GeneratedPage, dx: int, dy: int) -> None:
    def moved(part: Part) -> Part:
        own = [TextLine(o.box.shifted(dx, dy), o.polygon, o.score, o.vertical) for o in part.lines]
        return Part.of(part.kind, part.label, part.score, part.box.shifted(dx, dy), own)

    shifted = [moved(part) for part in page.parts]
    found = [area.shifted(dx, dy) for area in page.areas]
    assert block_order(shifted, found) == block_order(page.parts, page.areas)


def test_a_page_without_parts_has_an_empty_order() -> None:
    assert block_order([], [Box(0, 0, 100, 100)]) == ()


def test_equal_parts_are_all_read() -> None:
    part = Part.of(RegionKind.TEXT, "text", 0.9, Box(5, 5, 5, 5), ())
    assert sorted(block_order([part] * 300)) == list(range(300))


def test_thousands_of_parts_are_all_read() -> None:
    chance = random.Random(1)
    page = []
    for _ in range(2000):
        left, top = chance.randrange(3000), chance.randrange(4000)
        box = Box(left, top, left + chance.randrange(1, 60), top + chance.randrange(1, 40))
        page.append(Part.of(chance.choice([*RegionKind]), "", 0.9, box, ()))
    assert sorted(block_order(page)) == list(range(2000))


def test_a_staircase_of_a_thousand_parts_is_read_downwards() -> None:
    page = [
        Part.of(RegionKind.TEXT, "", 0.9, Box(i * 3, i * 3, i * 3 + 2, i * 3 + 2), ()) for i in range(1000)
    ]
    assert block_order(page) == tuple(range(1000))


def test_two_hundred_parts_take_no_time() -> None:
    setter = Typesetter("dense", 0)
    for x, width in setter.lanes(4):
        y = 100
        for _ in range(50):
            kind = RegionKind.PARAGRAPH_TITLE if setter.number(1, 5) == 1 else RegionKind.TEXT
            y = setter.text(x, y, width, setter.number(1, 3), kind) - 12
    page = setter.page()
    assert len(page.parts) == 200
    fastest = min(_seconds(page) for _ in range(5))
    assert fastest < 0.05


def _seconds(page: GeneratedPage) -> float:
    start = time.process_time()
    block_order(page.parts)
    return time.process_time() - start


def _text(kind: RegionKind, left: float, top: float, right: float, bottom: float) -> Part:
    box = Box(left, top, right, bottom)
    rows = max(1, int((bottom - top) // 28))
    own = [Box(left, top + 28 * i, right, top + 28 * i + 20) for i in range(rows)]
    return Part.of(kind, kind.value, 0.9, box, [TextLine(o, o.to_polygon(), 0.9) for o in own])


BODY = _text(RegionKind.TEXT, 100, 200, 900, 480)


@pytest.mark.parametrize("kind", [RegionKind.HEADER, RegionKind.HEADER_IMAGE])
def test_headers_come_before_the_text(kind: RegionKind) -> None:
    assert block_order([BODY, _text(kind, 100, 40, 300, 60)]) == (1, 0)


@pytest.mark.parametrize("kind", [RegionKind.FOOTER, RegionKind.FOOTNOTE, RegionKind.FOOTER_IMAGE])
def test_footers_come_after_the_text(kind: RegionKind) -> None:
    assert block_order([_text(kind, 100, 900, 300, 920), BODY]) == (1, 0)


@pytest.mark.parametrize("kind", [RegionKind.ASIDE_TEXT, RegionKind.SEAL, RegionKind.NUMBER])
def test_what_stands_beside_the_flow_comes_last(kind: RegionKind) -> None:
    footer = _text(RegionKind.FOOTER, 100, 900, 300, 920)
    assert block_order([_text(kind, 20, 40, 60, 60), BODY, footer]) == (1, 2, 0)


def test_headers_beside_each_other_are_read_from_the_left_though_one_stands_a_little_lower() -> None:
    left, right = _text(RegionKind.HEADER, 100, 49, 300, 69), _text(RegionKind.HEADER, 600, 45, 800, 65)
    assert block_order([right, left, BODY]) == (1, 0, 2)


def test_a_footnote_in_a_column_is_read_with_its_column() -> None:
    left, note = _text(RegionKind.TEXT, 100, 100, 480, 660), _text(RegionKind.FOOTNOTE, 100, 700, 480, 720)
    right = _text(RegionKind.TEXT, 520, 100, 900, 800)
    assert block_order([right, note, left]) == (2, 1, 0)


def test_a_label_beside_a_documents_title_row_stays_in_its_own_column() -> None:
    title = _text(RegionKind.DOC_TITLE, 100, 50, 700, 110)
    left = [_text(RegionKind.PARAGRAPH_TITLE, 100, 150, 300, 175), _text(RegionKind.TEXT, 100, 190, 380, 500)]
    right = [_text(RegionKind.TEXT, 420, 148, 500, 168), _text(RegionKind.TEXT, 420, 190, 900, 500)]
    page = [*right, *left, title]
    assert [page[i] for i in block_order(page)] == [title, *left, *right]


@pytest.mark.parametrize("vertical", [False, True])
def test_a_rule_across_columns_ends_them(vertical: bool) -> None:
    kind = RegionKind.VERTICAL_TEXT if vertical else RegionKind.TEXT
    boxes = [Box(x, y, x + 380, y + 200) for y in (100, 330) for x in (100, 520)]
    rule = Box(100, 314, 900, 316)
    page = [_standing(kind, box) if vertical else _text(kind, *_sides(box)) for box in boxes]
    rules = Rules((), (_stood(rule),)) if vertical else Rules((rule,), ())
    assert block_order(page) == (0, 2, 1, 3)
    assert block_order(page, rules=rules) == (0, 1, 2, 3)


def _sides(box: Box) -> tuple[float, float, float, float]:
    return box.left, box.top, box.right, box.bottom


def _stood(box: Box) -> Box:
    """A box of horizontal text where the same page in vertical text has it."""
    return Box(1000 - box.bottom, box.left, 1000 - box.top, box.right)


def _standing(kind: RegionKind, box: Box) -> Part:
    place = _stood(box)
    columns = [
        Box(place.right - 28 * i - 20, place.top, place.right - 28 * i, place.bottom) for i in range(7)
    ]
    return Part.of(kind, kind.value, 0.9, place, [TextLine(o, o.to_polygon(), 0.9, True) for o in columns])


def test_text_that_block_layout_left_out_is_read_where_it_stands() -> None:
    upper, lower = _text(RegionKind.TEXT, 100, 100, 900, 300), _text(RegionKind.TEXT, 100, 700, 900, 900)
    assert block_order([lower, BODY, upper], [upper.box, lower.box]) == (2, 1, 0)


def test_an_area_keeps_its_columns_together() -> None:
    columns = [_text(RegionKind.TEXT, x, 100, x + 180, 600) for x in (100, 300, 520, 720)]
    right = [_text(RegionKind.TEXT, 520, 640, 700, 900), _text(RegionKind.TEXT, 720, 640, 900, 900)]
    page = [*columns, *right]
    split = [Box(100, 100, 480, 600), Box(520, 100, 900, 600), Box(520, 640, 900, 900)]
    assert block_order(page, split) == (0, 1, 2, 3, 4, 5)
    assert block_order(page, []) == (0, 1, 2, 4, 3, 5)
