from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.geometry import shifted_line
from tests.vlm_stage.builders import block, read_column, read_line
from vlm_stage.postprocess.join_lines import join_cell, join_lines, join_title


def test_lines_that_fill_the_column_run_on() -> None:
    assert join_lines(block("合同双方本着平等自愿的原", "则经协商一致订立本合同以", "资共同遵守")) == (
        "合同双方本着平等自愿的原则经协商一致订立本合同以资共同遵守"
    )


def test_a_line_that_ends_early_was_meant_to_end() -> None:
    lines = block("甲方：云岭公司", "住所：临江市青溪区望湖路一百一十八号", "乙方：衡光公司")
    assert join_lines(lines) == "甲方：云岭公司\n住所：临江市青溪区望湖路一百一十八号\n乙方：衡光公司"


def test_a_ragged_right_edge_is_no_line_end() -> None:
    lines = block("The quick brown fox jumps", "over a lazy dog, which", "never barked at anyone ever")
    assert join_lines(lines) == "The quick brown fox jumps over a lazy dog, which never barked at anyone ever"


def test_an_indented_line_after_a_sentence_begins_a_paragraph() -> None:
    first, last = block("一二三四五六七八九十甲乙。", "丙丁戊己庚辛壬癸子丑寅卯")
    indented = read_line("辰巳午未申酉戌亥天地", 40, 60, 260)
    rest = read_line("玄黄宇宙洪荒日月盈昃辰宿", 0, 90, 260)
    assert join_lines([first, last, indented, rest]) == (
        "一二三四五六七八九十甲乙。丙丁戊己庚辛壬癸子丑寅卯\n辰巳午未申酉戌亥天地玄黄宇宙洪荒日月盈昃辰宿"
    )


def test_a_wider_gap_begins_a_paragraph() -> None:
    above = block("one two three four", "five six seven eig")
    below = [read_line("nine ten eleven tw", 0, 120, 180), read_line("thirteen fourteen", 0, 150, 170)]
    assert join_lines([*above, *below]) == (
        "one two three four five six seven eig\n\nnine ten eleven tw thirteen fourteen"
    )


def test_much_larger_type_is_a_paragraph_of_its_own() -> None:
    large, *small = (
        read_line("HEAD", 0, 0, 200, height=40),
        *block("one two three four", "five six seven eig"),
    )
    below = [replace(line, line=shifted_line(line.line, 0, 60)) for line in small]
    assert join_lines([large, *below]) == "HEAD\n\none two three four five six seven eig"


def test_a_second_label_begins_a_line_even_where_the_first_fills_its_own() -> None:
    lines = block("甲方：云岭测绘仪器有限公司", "乙方：衡光精密制造有限公司")
    assert join_lines(lines) == "甲方：云岭测绘仪器有限公司\n乙方：衡光精密制造有限公司"


@pytest.mark.parametrize(
    "marks", [("1. ", "2. "), ("（1）", "（2）"), ("• ", "• "), ("一、", "二、"), ("a) ", "b) ")]
)
def test_items_of_a_list_begin_lines(marks: tuple[str, str]) -> None:
    first, second = f"{marks[0]}货物名称与规格以及型号。", f"{marks[1]}货物名称与规格以及数量。"
    assert join_lines(block(first, second)) == f"{first}\n{second}"


def test_a_number_in_running_text_begins_no_line() -> None:
    assert join_lines(block("the measured length of it is", "3.5 mm in the first of three")) == (
        "the measured length of it is 3.5 mm in the first of three"
    )


def test_texts_in_one_row_are_read_from_left_to_right_whatever_their_order() -> None:
    lines = [read_line("乙方：", 300, 2, 360), read_line("甲方：", 0, 0, 60)]
    assert join_lines(lines) == "甲方： 乙方："


def test_pieces_of_one_chinese_line_get_no_space() -> None:
    assert join_lines([read_line("文字识", 0, 0, 60), read_line("别结果", 64, 1, 124)]) == "文字识别结果"


def test_columns_are_read_from_right_to_left() -> None:
    columns = [read_column("第二列的文", 100, 0, 100), read_column("第一列的字", 130, 0, 100)]
    assert join_lines(columns) == "第一列的字第二列的文"


def test_a_centred_title_is_one_line() -> None:
    lines = [read_line("Report on the", 40, 0, 170), read_line("State", 80, 30, 130)]
    assert join_title(lines) == "Report on the State"


def test_a_list_in_a_cell_keeps_its_lines_and_wrapped_text_does_not() -> None:
    assert join_cell(block("1、保险期限", "2、承保地区")) == "1、保险期限\n2、承保地区"
    assert join_cell(block("每次事故赔偿", "限额")) == "每次事故赔偿限额"


_WORDS = st.lists(st.text("abcdefg", min_size=1, max_size=8), min_size=1, max_size=5).map(" ".join)
_PLACES = st.tuples(st.floats(0, 500), st.floats(0, 500), st.floats(10, 400))


@given(st.lists(st.tuples(_WORDS, _PLACES), max_size=12))
def test_every_word_of_every_line_is_kept(lines: list[tuple[str, tuple[float, float, float]]]) -> None:
    read = [read_line(text, left, top, left + width) for text, (left, top, width) in lines]
    expected = sorted(word for text, _ in lines for word in text.split())
    assert sorted(join_lines(read).split()) == expected
    assert sorted(join_title(read).split()) == expected


@given(st.lists(st.text("汉字合同甲乙丙丁", min_size=1, max_size=10), min_size=1, max_size=8))
def test_chinese_text_never_gets_a_space(texts: list[str]) -> None:
    assert " " not in join_lines(block(*texts))
