from typing import Any

import numpy as np

from arcscribe.types import Box
from layout_stage.detection.detections import Detection
from layout_stage.detection.overlaps import without_overlapping


def found(label: str, *box: float) -> Detection:
    return Detection(label, 0.9, Box(*box), 0, None)


def kept(*detections: Detection, outlines: Any = None) -> list[Detection]:
    return without_overlapping(detections, outlines or [None] * len(detections))


TEXT = found("text", 0, 0, 100, 100)


def test_the_smaller_of_two_in_one_place_goes() -> None:
    small = found("text", 0, 0, 50, 50)
    assert kept(small, TEXT) == [TEXT]
    assert kept(TEXT, small) == [TEXT]


def test_of_two_of_one_size_the_first_stays() -> None:
    other = found("doc_title", 0, 0, 100, 100)
    assert kept(other, TEXT) == [other]


def test_specks_and_reference_lists_go() -> None:
    assert kept(TEXT, found("text", 200, 0, 205, 100), found("reference", 300, 0, 400, 100)) == [TEXT]


def test_a_formula_in_text_goes_even_if_half_in() -> None:
    assert kept(found("inline_formula", 60, 0, 130, 20), TEXT) == [TEXT]
    assert len(kept(found("inline_formula", 90, 0, 130, 20), TEXT)) == 2


def test_a_seal_on_text_and_a_picture_in_a_table_stay() -> None:
    seal, table, image = (
        found("seal", 0, 0, 50, 50),
        found("table", 0, 0, 100, 100),
        found("image", 0, 0, 50, 50),
    )
    assert kept(TEXT, seal) == [TEXT, seal]
    assert kept(table, image) == [table, image]


def test_text_in_a_table_goes() -> None:
    table, text = found("table", 0, 0, 100, 100), found("text", 0, 0, 50, 50)
    assert kept(table, text) == [table]


def test_outlines_tell_apart_what_boxes_do_not() -> None:
    other = found("text", 0, 0, 100, 90)
    upper = np.array([(0, 0), (100, 0), (0, 100)], float)
    lower = np.array([(100, 0), (100, 100), (0, 100)], float)
    assert kept(TEXT, other, outlines=[upper, lower]) == [TEXT, other]
    assert kept(TEXT, other, outlines=[upper, upper]) == [TEXT]
