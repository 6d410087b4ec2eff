"""Line breaking, with the typeface that Pillow carries, so that no font need be installed."""

import itertools

from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont
from PIL.ImageFont import FreeTypeFont

from samples.render.flow import text_of
from samples.render.typeset import NEVER_FIRST, NEVER_LAST, break_lines, hyphenation_points

WORDS = st.lists(st.text(alphabet="abcdefghilmnoprstu", min_size=1, max_size=12), min_size=1, max_size=40)
PHRASES = st.lists(
    st.sampled_from(("合", "同", "约，", "定。", "（甲", "方）", "《乙", "书》；")), min_size=1
)


def font() -> FreeTypeFont:
    found = ImageFont.load_default(20)
    assert isinstance(found, FreeTypeFont)
    return found


@given(WORDS, st.booleans())
def test_lines_say_what_the_text_says(words: list[str], hyphenate: bool) -> None:
    lines = break_lines(" ".join(words), font(), 300, hyphenate=hyphenate)
    assert text_of(lines) == " ".join(words)


@given(WORDS)
def test_justified_lines_end_at_the_column_s_edge(words: list[str]) -> None:
    for line in break_lines(" ".join(words), font(), 300)[:-1]:
        assert len(line.placed) == 1 or abs(line.width - 300) < 1e-6


@given(PHRASES)
def test_no_line_starts_or_ends_with_a_mark_that_must_not(phrases: list[str]) -> None:
    lines = break_lines("".join(phrases), font(), 5 * font().getlength("合"))
    assert "".join(piece for line in lines for _, piece in line.placed) == "".join(phrases)
    for before, after in itertools.pairwise(lines):
        assert after.placed[0][1] not in NEVER_FIRST
        assert before.placed[-1][1] not in NEVER_LAST


def test_the_first_line_is_indented() -> None:
    first, second, *_ = break_lines("word " * 40, font(), 300, indent=50)
    assert first.placed[0][0] == 50
    assert second.placed[0][0] == 0


def test_words_are_cut_between_consonants_and_never_names_or_short_words() -> None:
    assert [("picture"[:at]) for at in hyphenation_points("picture")] == ["pic"]
    assert hyphenation_points("other") == []
    assert hyphenation_points("London's") == []
    assert hyphenation_points("PDFs") == []
