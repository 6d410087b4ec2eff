import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlm_stage.postprocess.glue import glue


@pytest.mark.parametrize(
    ("before", "after", "glued"),
    [
        ("the first", "line", "the first line"),
        ("甲乙双方本着", "平等自愿的原则", "甲乙双方本着平等自愿的原则"),
        ("使用", "OpenVINO", "使用OpenVINO"),
        ("版本 3.1", "以上", "版本 3.1以上"),
        ("한국어", "문장", "한국어 문장"),
        ("he said “yes”", "and left", "he said “yes” and left"),
        ("他说“好”", "然后走了", "他说“好”然后走了"),
        ("", "alone", "alone"),
        ("alone", "", "alone"),
    ],
)
def test_scripts_with_spaces_get_one_and_others_none(before: str, after: str, glued: str) -> None:
    assert glue(before, after) == glued


@pytest.mark.parametrize(
    ("before", "after", "glued"),
    [
        ("a recog-", "nition model", "a recognition model"),
        ("a recog\u00ad", "nition model", "a recognition model"),
        ("Navier-", "Stokes", "Navier-Stokes"),
        ("1990-", "2000", "1990-2000"),
        ("state-of-the-", "art", "state-of-the-art"),
        ("a self-", "contained part", "a self-contained part"),
        ("a dash -", "not a hyphen", "a dash - not a hyphen"),
    ],
)
def test_a_word_cut_at_a_line_end_is_whole_again(before: str, after: str, glued: str) -> None:
    assert glue(before, after) == glued


def test_the_rest_of_the_text_says_whether_a_hyphen_is_the_words_own() -> None:
    assert glue("a data-", "base", "the data-base again") == "a data-base"
    assert glue("a high-", "lights", "highlights of the year") == "a highlights"


@given(st.text("ab c-汉字。", max_size=12), st.text("ab c-汉字。", max_size=12))
def test_nothing_but_a_hyphen_and_a_space_comes_or_goes(before: str, after: str) -> None:
    glued = glue(before, after)
    assert glued.startswith(before[:-1])
    assert glued.endswith(after)
    assert len(before + after) - 1 <= len(glued) <= len(before + after) + 1
