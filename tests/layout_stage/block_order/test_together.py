"""What stays together: pictures with captions, formulas with numbers."""

import pytest

from arcscribe.types import RegionKind as Kind
from layout_stage.block_order.items import Item
from layout_stage.block_order.together import put_together
from tests.layout_stage.block_order.placing import item


def families(*items: Item, vertical: bool = False) -> set[tuple[int, ...]]:
    """The members of each item once all are put together."""
    return {whole.members for whole in put_together(items, vertical)}


def test_a_caption_below_and_a_picture_are_one_in_their_order() -> None:
    caption, picture = item(0, Kind.FIGURE_TITLE, 150, 412, 450, 432), item(1, Kind.IMAGE, 100, 100, 500, 400)
    assert families(caption, picture) == {(1, 0)}


def test_a_caption_goes_with_the_nearest_picture() -> None:
    upper, lower = item(0, Kind.TABLE, 100, 100, 500, 300), item(2, Kind.TABLE, 100, 345, 500, 500)
    assert families(upper, item(1, Kind.TABLE_TITLE, 100, 320, 500, 340), lower) == {(0,), (1, 2)}


def test_a_caption_beside_a_picture_is_taken_where_there_is_none_above_or_below() -> None:
    picture, beside = item(0, Kind.IMAGE, 100, 100, 500, 400), item(1, Kind.FIGURE_TITLE, 520, 200, 700, 220)
    assert families(picture, beside) == {(0, 1)}
    below = item(2, Kind.FIGURE_TITLE, 150, 412, 450, 432)
    assert families(picture, beside, below) == {(0, 2), (1,)}


def test_a_note_of_a_line_below_a_table_is_its_own_and_a_paragraph_is_not() -> None:
    table = item(0, Kind.TABLE, 100, 100, 500, 400)
    assert families(table, item(1, Kind.TEXT, 100, 410, 300, 430)) == {(0, 1)}
    assert families(table, item(1, Kind.TEXT, 100, 410, 400, 500)) == {(0,), (1,)}


@pytest.mark.parametrize(
    ("left", "top", "right"), [(60, 410, 300), (100, 470, 300), (100, 410, 520)], ids=["left", "far", "wide"]
)
def test_a_line_that_sticks_out_below_a_table_or_stands_far_off_is_no_note(
    left: float, top: float, right: float
) -> None:
    table = item(0, Kind.TABLE, 100, 100, 500, 400)
    assert families(table, item(1, Kind.TEXT, left, top, right, top + 20)) == {(0,), (1,)}


def test_a_line_below_a_picture_is_no_note() -> None:
    picture = item(0, Kind.IMAGE, 100, 100, 500, 400)
    assert families(picture, item(1, Kind.TEXT, 100, 410, 300, 430)) == {(0,), (1,)}


def test_text_in_a_picture_is_read_with_it() -> None:
    picture = item(0, Kind.IMAGE, 100, 100, 500, 400)
    assert families(picture, item(1, Kind.TEXT, 150, 200, 350, 280)) == {(0, 1)}


def test_the_number_beside_a_formula_follows_it() -> None:
    number, formula = (
        item(0, Kind.FORMULA_NUMBER, 600, 99, 640, 119),
        item(1, Kind.FORMULA, 200, 100, 500, 140),
    )
    assert families(number, formula, item(2, Kind.FORMULA_NUMBER, 600, 305, 640, 325)) == {(1, 0), (2,)}


def test_a_caption_far_off_is_of_another_picture() -> None:
    caption, picture = item(0, Kind.FIGURE_TITLE, 150, 450, 450, 470), item(1, Kind.IMAGE, 100, 100, 500, 400)
    assert families(caption, picture) == {(0,), (1,)}


def test_of_two_numbers_in_a_row_a_formula_takes_the_nearer_one() -> None:
    formula, far = item(0, Kind.FORMULA, 100, 100, 400, 140), item(1, Kind.FORMULA_NUMBER, 900, 105, 940, 125)
    assert families(formula, far, item(2, Kind.FORMULA_NUMBER, 440, 105, 480, 125)) == {(0, 2), (1,)}


def test_a_caption_to_the_left_of_a_picture_is_read_first_though_it_starts_lower() -> None:
    picture, caption = item(0, Kind.IMAGE, 300, 100, 500, 400), item(1, Kind.FIGURE_TITLE, 100, 200, 280, 220)
    assert families(picture, caption) == {(1, 0)}
