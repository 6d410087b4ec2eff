"""Slices of a page, what reaches over columns, and where it is put back."""

from arcscribe.types import RegionKind as Kind
from layout_stage.block_order.insertion import insert
from layout_stage.block_order.items import Item
from layout_stage.block_order.slices import slices
from layout_stage.block_order.spanning import spanning
from tests.layout_stage.block_order.placing import SIZE, item


def text(index: int, left: float, top: float, right: float, bottom: float) -> Item:
    return item(index, Kind.TEXT, left, top, right, bottom)


COLUMNS = [text(0, 100, 100, 480, 400), text(1, 520, 100, 900, 400)]


def sliced(*items: Item) -> list[set[int]]:
    return [{part.index for part in piece} for piece in slices(items, SIZE)]


def test_what_stands_alone_in_the_middle_is_a_slice_of_its_own() -> None:
    lower = [text(3, 100, 460, 480, 800), text(4, 520, 460, 900, 800)]
    assert sliced(*COLUMNS, text(2, 300, 420, 700, 440), *lower) == [{0, 1}, {2}, {3, 4}]


def test_what_stands_alone_over_two_columns_off_the_middle_is_one_too() -> None:
    lower = [text(3, 100, 460, 480, 800), text(4, 520, 460, 900, 800)]
    assert sliced(*COLUMNS, text(2, 100, 420, 560, 440), *lower) == [{0, 1}, {2}, {3, 4}]


def test_a_heading_in_one_column_parts_nothing() -> None:
    lower = [text(3, 100, 460, 480, 800), text(4, 520, 460, 900, 800)]
    assert sliced(*COLUMNS, item(2, Kind.PARAGRAPH_TITLE, 100, 420, 300, 440), *lower) == [{0, 1, 2, 3, 4}]


def test_bands_with_other_columns_are_parted_where_something_spans_all() -> None:
    upper = [text(k, 100 + 270 * k, 100, 340 + 270 * k, 300) for k in range(3)]
    lower = [text(3, 100, 340, 400, 600), text(4, 430, 340, 880, 600), text(5, 100, 610, 880, 700)]
    assert sliced(*upper, *lower)[0] == {0, 1, 2}


def test_a_table_over_two_columns_spans_them() -> None:
    assert spanning([*COLUMNS, item(2, Kind.TABLE, 100, 420, 900, 700)]) == {2}


def test_a_text_over_narrow_fields_beside_each_other_spans_nothing() -> None:
    fields = [text(0, 100, 100, 200, 120), text(1, 300, 100, 400, 120)]
    assert spanning([*fields, text(2, 100, 140, 400, 160)]) == set()


def test_of_a_picture_and_a_text_that_overlap_the_picture_steps_out() -> None:
    assert spanning([text(0, 100, 100, 480, 400), item(1, Kind.IMAGE, 400, 300, 600, 500)]) == {1}


def test_of_two_texts_that_overlap_much_the_smaller_one_steps_out() -> None:
    assert spanning([text(0, 100, 100, 480, 400), text(1, 100, 100, 480, 300)]) == {1}


def test_a_title_stays_where_it_is() -> None:
    assert spanning([*COLUMNS, item(2, Kind.DOC_TITLE, 100, 40, 900, 80)]) == set()


def inserted(new: Item, *ordered: Item) -> list[int]:
    return [part.index for part in insert(new, ordered)]


def test_what_spans_columns_goes_after_the_nearest_above() -> None:
    lower = [text(2, 100, 600, 480, 800), text(3, 520, 600, 900, 800)]
    order = (COLUMNS[0], lower[0], text(1, 520, 100, 900, 360), lower[1])
    assert inserted(text(9, 100, 420, 900, 580), *order) == [0, 9, 2, 1, 3]


def test_a_reference_over_columns_goes_after_the_last_one_above() -> None:
    wide = item(9, Kind.REFERENCE, 100, 420, 900, 500)
    assert inserted(wide, *COLUMNS, text(2, 100, 520, 480, 800)) == [0, 1, 9, 2]


def test_a_picture_does_not_tear_a_paragraph_that_runs_on() -> None:
    upper, lower = text(0, 100, 100, 480, 400), text(1, 100, 700, 480, 900)
    picture = item(9, Kind.IMAGE, 90, 420, 500, 690)
    assert inserted(picture, upper, lower) == [0, 1, 9]


def test_the_first_item_is_put_into_an_empty_order() -> None:
    assert inserted(COLUMNS[0]) == [0]


def test_of_two_above_that_are_as_near_the_one_that_starts_lower_is_the_nearest() -> None:
    lower, upper = text(0, 100, 300, 480, 400), text(1, 520, 100, 900, 400)
    assert inserted(text(9, 100, 420, 900, 580), lower, upper) == [0, 9, 1]


def test_a_title_goes_before_what_is_below_it_though_that_above_is_nearer() -> None:
    title, below = item(9, Kind.DOC_TITLE, 100, 410, 480, 440), text(2, 100, 470, 480, 800)
    assert inserted(title, *COLUMNS, below) == [0, 1, 9, 2]


def test_a_picture_above_a_column_in_which_a_paragraph_runs_on_goes_before_all_of_it() -> None:
    assert inserted(item(9, Kind.IMAGE, 520, 50, 940, 90), *COLUMNS) == [9, 0, 1]


def test_a_large_gap_through_the_same_columns_parts_them_where_something_spans_all() -> None:
    wide = text(4, 100, 900, 900, 1000)
    for gap, expected in ((70, [{0, 1}, {2, 3}, {4}]), (40, [{0, 1, 2, 3}, {4}])):
        lower = [text(2, 100, 400 + gap, 480, 800), text(3, 520, 400 + gap, 900, 800)]
        assert sliced(*COLUMNS, *lower, wide) == expected


def test_tops_that_differ_by_a_pixel_count_as_the_same() -> None:
    left, right = text(0, 100, 101, 480, 400), text(1, 520, 100, 900, 400)
    assert inserted(text(9, 100, 420, 900, 580), left, right) == [0, 1, 9]


def test_texts_that_overlap_a_little_both_stay() -> None:
    assert spanning([text(0, 100, 100, 480, 400), text(1, 100, 390, 480, 500)]) == set()


def test_a_signature_that_runs_into_its_label_goes_after_it_though_it_starts_higher() -> None:
    label = text(0, 100, 120, 190, 140)
    assert inserted(item(9, Kind.IMAGE, 180, 100, 350, 160), label) == [0, 9]
