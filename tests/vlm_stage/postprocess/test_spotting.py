import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import SpottedText
from tests.vlm_stage.postprocess.timing import takes_less_than
from vlm_stage.postprocess.spotting import parse_spotting

_CORNERS = (100, 200, 300, 200, 300, 250, 100, 250)


def _place(*numbers: int) -> str:
    return "".join(f"<|LOC_{number}|>" for number in numbers)


def test_locations_are_thousandths_of_the_sides() -> None:
    found = parse_spotting(f"Total 12.50{_place(*_CORNERS)}", 2000, 400)
    polygon = ((200.0, 80.0), (600.0, 80.0), (600.0, 100.0), (200.0, 100.0))
    assert found.lines == (SpottedText("Total 12.50", polygon),)
    assert found.unplaced == ()


def test_marks_round_texts_and_places_are_not_part_of_them() -> None:
    marked = f"<|TEXT_START|>a<|TEXT_END|><|LOC_BEGIN|>{_place(*_CORNERS)}<|LOC_END|>"
    assert parse_spotting(marked, 10, 10) == parse_spotting(f"a{_place(*_CORNERS)}", 10, 10)


def test_a_line_whose_place_was_cut_is_kept_without_it() -> None:
    found = parse_spotting(f"one{_place(*_CORNERS)}\ntwo{_place(1, 2, 3)}<|LO", 10, 10)
    assert [line.text for line in found.lines] == ["one"]
    assert found.unplaced == ("two",)


def test_a_damaged_place_does_not_shift_the_ones_after_it() -> None:
    found = parse_spotting(f"one{_place(1, 2, 3, 4, 5, 6, 7)}\ntwo{_place(*_CORNERS)}", 1000, 1000)
    assert [line.text for line in found.lines] == ["two"]
    assert found.lines[0].polygon[0] == (100, 200)
    assert found.unplaced == ("one",)


def test_places_beyond_the_image_are_put_on_its_edge() -> None:
    found = parse_spotting(f"a{_place(0, 0, 1023, 0, 99999, 1000, 0, 1000)}", 640, 480)
    assert found.lines[0].polygon == ((0, 0), (640, 0), (640, 480), (0, 480))


def test_a_place_without_text_is_no_line_and_more_corners_do_not_count() -> None:
    assert parse_spotting(_place(*_CORNERS), 10, 10).lines == ()
    assert parse_spotting(f"a{_place(*_CORNERS, 1, 2, 3, 4)}", 10, 10) == parse_spotting(
        f"a{_place(*_CORNERS)}", 10, 10
    )


_LINES = st.lists(
    st.tuples(
        st.text("abc 汉1<", min_size=1, max_size=8).map(str.strip).filter(bool),
        st.lists(st.integers(0, 1000), min_size=8, max_size=8),
    ),
    max_size=6,
)


@given(_LINES, st.integers(1, 5000), st.integers(1, 5000))
def test_what_is_written_comes_back(lines: list[tuple[str, list[int]]], width: int, height: int) -> None:
    found = parse_spotting("\n".join(text + _place(*place) for text, place in lines), width, height)
    assert [line.text for line in found.lines] == [text for text, _ in lines]
    for line, (_, place) in zip(found.lines, lines, strict=True):
        flat = [
            round(value * 1000 / side) for x, y in line.polygon for value, side in ((x, width), (y, height))
        ]
        assert flat == place
        assert all(0 <= x <= width and 0 <= y <= height for x, y in line.polygon)


@given(st.text("<|LOC_12>TEXSARND a", max_size=80))
def test_any_text_can_be_read(source: str) -> None:
    parse_spotting(source, 100, 100)


@pytest.mark.parametrize(
    "source", ["<|LOC_1|>" * 11_000, "a<|LOC_1|>" * 10_000, "<|" * 50_000, "<|LOC_1|> " * 9_000 + "<"]
)
def test_time_is_linear_for_any_100_kb(source: str) -> None:
    assert takes_less_than(3.0, lambda: parse_spotting(source, 9, 9))
