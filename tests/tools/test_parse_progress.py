"""The lines that show what is being read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from arcscribe.events import RegionPartial
from arcscribe.tools.parse_progress import ParseProgress, partial_line, tail

texts = st.text(st.characters(blacklist_categories=("Cc", "Cs")) | st.sampled_from("甲方：合同abc "))


@given(texts, st.integers(1, 60))
def test_the_end_of_a_text_is_what_fits(text: str, width: int) -> None:
    shown = tail(text, width)
    assert cell_len(shown) <= width
    assert text.endswith(shown.removeprefix("…"))
    if shown != text:
        assert shown.startswith("…")
        left_out = text[: len(text) - len(shown) + 1]
        assert cell_len(left_out[-1:]) + cell_len(shown) > width


def test_what_takes_no_room_needs_none() -> None:
    assert tail("", 0) == ""
    assert tail("abc", 3) == "abc"
    assert tail("abcd", 3) == "…cd"
    assert tail("合同价款", 6) == "…价款"
    assert tail("合同价款", 7) == "…同价款"


def test_a_line_is_one_printable_line_however_long_and_odd_the_text() -> None:
    line = partial_line(RegionPartial(12, 2, 3, "first line\nsecond\x1b[2J line " * 5000), 60)
    assert line.startswith("page 12, region 3: …")
    assert line.endswith("second?[2J line")
    assert line.isprintable()
    assert cell_len(line) <= 60


def test_what_has_no_text_yet_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    with ParseProgress("one.pdf") as progress:
        for text in ("", " \n", "half"):
            progress.saw(RegionPartial(1, 2, 3, text))
    assert capsys.readouterr().err == "one.pdf: page 1, region 3: half\n"
