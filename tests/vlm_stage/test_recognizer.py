from dataclasses import replace

import pytest

from arcscribe.types import RegionKind, TextFormat
from tests.vlm_stage.builders import blank_crop, block, text_line
from vlm_stage.recognizer import MAX_ALTERNATIVE, compose, is_read, mean_confidence
from vlm_stage.tables.structure import Cell, Structure
from vlm_stage.tables.table import Table

LINES = block("one two three", "four five six")


@pytest.mark.parametrize(
    ("kind", "text_format"),
    [
        (RegionKind.TEXT, TextFormat.PLAIN),
        (RegionKind.DOC_TITLE, TextFormat.PLAIN),
        (RegionKind.FORMULA_NUMBER, TextFormat.PLAIN),
        (RegionKind.FORMULA, TextFormat.NONE),
        (RegionKind.CHART, TextFormat.NONE),
        (RegionKind.SEAL, TextFormat.NONE),
    ],
)
def test_the_kind_says_how_the_text_is_to_be_read(kind: RegionKind, text_format: TextFormat) -> None:
    content = compose(blank_crop(kind), LINES)
    assert content.format is text_format
    assert content.text == "one two three four five six"


def test_the_alternative_text_of_a_picture_is_short() -> None:
    content = compose(blank_crop(RegionKind.CHART), block(*(["label"] * 300)))
    assert len(content.text) == MAX_ALTERNATIVE
    assert content.text.endswith("…")


def test_logos_are_not_read_and_pictures_only_where_lines_were_found() -> None:
    lines = (text_line(0, 0, 50, 20),)
    assert is_read(blank_crop(RegionKind.TEXT))
    assert is_read(blank_crop(RegionKind.CHART, lines))
    assert not is_read(blank_crop(RegionKind.CHART))
    assert not is_read(blank_crop(RegionKind.FOOTER_IMAGE, lines))


def test_a_crop_without_lines_has_no_confidence() -> None:
    assert mean_confidence([]) is None
    assert compose(blank_crop(), []).text == ""


def test_what_is_read_without_confidence_is_noise_in_text_and_stays_in_a_table() -> None:
    sure, faint = LINES[0], replace(LINES[1], confidence=0.3)
    assert compose(blank_crop(), [sure, faint]).text == "one two three"
    structure = Structure((0, 25, 50), (0, 200), (Cell(0, 0), Cell(1, 0)))
    table = Table(structure, (sure.line, faint.line), structure.cells)
    content = compose(blank_crop(RegionKind.TABLE), [sure, faint], table)
    assert content.text == ("<table><tr><td>one two three</td></tr><tr><td>four five six</td></tr></table>")
    assert content.confidence == pytest.approx((0.99 + 0.3) / 2)


def test_what_is_left_out_of_a_text_lowers_its_confidence() -> None:
    lines = [LINES[0], replace(LINES[1], confidence=0.3), replace(LINES[0], text="", confidence=0.0)]
    assert mean_confidence(lines) == pytest.approx(0.99 * 13 / (13 + 13 + 1))
