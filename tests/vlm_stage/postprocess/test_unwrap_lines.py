import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vlm_stage.postprocess.timing import takes_less_than
from vlm_stage.postprocess.unwrap_lines import one_line, unwrap_lines


def test_a_sentence_that_the_edge_broke_runs_on() -> None:
    assert unwrap_lines("The quick brown fox jumps over\nthe lazy dog, and never came\nback.") == (
        "The quick brown fox jumps over the lazy dog, and never came back."
    )


def test_a_cut_word_is_whole_again() -> None:
    assert unwrap_lines("The docu-\nments") == "The documents"


def test_chinese_lines_of_the_same_length_run_on() -> None:
    assert unwrap_lines(
        "合同双方本着平等自愿的原则，经友好协\n商一致，就货物买卖事宜订立本合同，以\n资共同遵守。"
    ) == ("合同双方本着平等自愿的原则，经友好协商一致，就货物买卖事宜订立本合同，以资共同遵守。")


@pytest.mark.parametrize(
    "source",
    [
        "2021\n2022\n2023",
        "Desk\nlamp\nchair",
        "甲方：云岭公司\n乙方：衡光公司",
        "床前明月光，\n疑是地上霜。",
        "The first item of this list is here\n(2) the second item",
        "It ends here, and that is all there is.\nthen something new",
        "合同双方本着平等自愿的原则，经友好协商\n（一）就货物买卖事宜订立本合同",
        "The parties to the contract are named here\na) the seller",
        "合同双方本着平等自愿的原则，经友好协商\n住所：临江市",
        "合同双方本着平等自愿的原则\n合同双方本着平等自愿的原则，经友好协商一致订立",
        "Beijing Municipal Bureau of Statistics\nPeople's Street 12",
    ],
)
def test_lines_that_may_be_meant_stay(source: str) -> None:
    assert unwrap_lines(source) == source


def test_paragraphs_are_parted_by_one_empty_line() -> None:
    assert unwrap_lines("\na b\n\n \n\nc d\n") == "a b\n\nc d"


def test_a_title_is_one_line() -> None:
    assert one_line("Report on the\nState of Things\n") == "Report on the State of Things"
    assert one_line("关于进一步加强\n管理的通知") == "关于进一步加强管理的通知"


@given(st.lists(st.text("abz 汉字。.-", max_size=50), max_size=8).map("\n".join))
def test_no_character_is_lost(source: str) -> None:
    def letters(text: str) -> str:
        return "".join(text.replace("-", "").split())

    assert letters(unwrap_lines(source)) == letters(source)
    assert letters(one_line(source)) == letters(source)


@given(st.text("ab汉 \n", max_size=80))
def test_there_are_no_blank_ends_or_double_gaps(source: str) -> None:
    text = unwrap_lines(source)
    assert text == text.strip()
    assert "\n\n\n" not in text
    assert "\n" not in one_line(source)


@pytest.mark.parametrize(
    "source", ["ab\n" * 33_000, "docu-\n" * 16_000, "\n" * 100_000, f"{'word ' * 8}\n" * 2_500]
)
def test_time_is_near_linear_for_any_100_kb(source: str) -> None:
    assert takes_less_than(5.0, lambda: unwrap_lines(source))
    assert takes_less_than(5.0, lambda: one_line(source))
