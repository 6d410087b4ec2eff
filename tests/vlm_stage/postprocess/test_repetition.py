import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vlm_stage.postprocess.timing import takes_less_than
from vlm_stage.postprocess.repetition import MIN_TABLE_LENGTH, without_repetition


def test_a_text_that_is_one_unit_over_and_over_is_that_unit() -> None:
    assert without_repetition("0.5" * 30) == "0.5"
    assert without_repetition("  " + "ab " * 40) == "ab"


def test_a_line_that_ends_in_a_loop_ends_in_its_unit_once() -> None:
    assert without_repetition("This is how it went: " + "and then again, " * 20) == (
        "This is how it went: and then again,"
    )


def test_lines_that_are_the_same_stand_once_and_the_others_stay() -> None:
    source = "\n".join(["Heading", *["the same line"] * 12, "An end"])
    assert without_repetition(source) == "Heading\nthe same line\nAn end"


def test_a_short_text_may_repeat() -> None:
    assert without_repetition("ha" * 24) == "ha" * 24
    assert without_repetition("ha" * 25) == "ha"
    assert without_repetition("ha" * 2499, MIN_TABLE_LENGTH) == "ha" * 2499
    assert without_repetition("ha" * 2500, MIN_TABLE_LENGTH) == "ha"


@pytest.mark.parametrize(
    "source",
    [
        "x" * 9 + "y" + "x" * 9 + "z" + "Chapter one, in which all begins, and little is told " + "." * 70,
        "The text goes on for a while before it comes to its end, and only then " + "repeats " * 8,
        "repeated " * 4
        + "and then it is something else altogether, as long as that was, or still longer than that",
        "\n".join(["same"] * 9 + ["a", "b", "c", "d", "e"] * 3),
        "\n".join(["0.00", "1.00"] * 20),
    ],
    ids=["leaders", "a loop of less than half", "four times", "a few lines", "two lines in turn"],
)
def test_what_the_rules_allow_stays(source: str) -> None:
    assert without_repetition(source) == source


_TEN = "abcdefghij"


def test_units_are_counted_from_the_number_that_the_rules_name() -> None:
    assert without_repetition(_TEN * 9) == _TEN * 9
    assert without_repetition(_TEN * 10) == _TEN
    five, four = "x" * 9 + (_TEN + "k" * 10) * 5, "x" * 9 + (_TEN + "k" * 10) * 4
    assert without_repetition(five) == "x" * 9 + _TEN + "k" * 10
    assert without_repetition("y" + four + "z" * 9) == "y" + four + "z" * 9
    assert without_repetition("A start. " + (_TEN + "0123456789klmno") * 4) == (
        "A start. " + (_TEN + "0123456789klmno") * 4
    )


def test_a_unit_has_eight_characters_so_that_a_blank_stays_one() -> None:
    assert without_repetition("Name and address: " + "_" * 100) == "Name and address: ________"


_UNIT = st.text("ab. \n", min_size=1, max_size=12)
_LOOPING = st.builds(
    lambda before, unit, count, after: before + unit * count + after,
    st.text("abc \n", max_size=60),
    _UNIT,
    st.integers(1, 60),
    st.text("abc \n", max_size=20),
)


@given(st.one_of(_LOOPING, st.builds(lambda a, b: a + b, _LOOPING, _LOOPING)), st.sampled_from([1, 50, 200]))
def test_the_result_is_shorter_or_the_same_and_final(source: str, least: int) -> None:
    once = without_repetition(source, least)
    assert len(once) <= len(source)
    assert without_repetition(once, least) == once


@given(_LOOPING)
def test_no_text_is_made_up(source: str) -> None:
    left = iter(source)
    assert all(character in left for character in without_repetition(source))


@given(
    st.text("abcdefgh, ", min_size=20, max_size=80),
    st.text("abcdefgh, ", min_size=8, max_size=30),
    st.integers(0, 30),
)
def test_a_loop_in_one_line_leaves_the_text_before_it_and_one_unit(
    before: str, unit: str, extra: int
) -> None:
    count = 2 + extra + len(before) // len(unit) + 100 // len(unit)
    found = without_repetition(f"X{before}Y{unit.strip()}Z" + f"{unit.strip()}Z" * count)
    assert found.startswith(f"X{before}Y{unit.strip()}Z"[: len(found)])
    assert len(found) <= len(before) + 2 * len(unit) + 3


@pytest.mark.parametrize(
    "source",
    [
        "a" * 100_000,
        "a" * 99_999 + "b",
        "ab" * 25_000 + "ba" * 25_000,
        "ab" * 49_000 + "c" * 2_000,
        "".join(random.Random(1).choices("ab", k=100_000)),
        "x" + "abcdefghij" * 10_000,
        "a\n" * 50_000,
        "\n" * 100_000,
        "".join(f"{n}\n" for n in range(17_000)),
    ],
)
def test_time_is_linear_for_any_100_kb(source: str) -> None:
    assert takes_less_than(3.0, lambda: without_repetition(source))
