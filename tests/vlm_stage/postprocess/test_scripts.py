import pytest

from vlm_stage.postprocess.scripts import ends_sentence, starts_item, width_units


@pytest.mark.parametrize(
    "text",
    [
        "• item",
        "- item",
        "1. Item",
        "1．乙方",
        "（1）合同",
        "(a) item",
        "一、总则",
        "第一条 标的",
        "①甲",
        "[3] Smith",
    ],
)
def test_bullets_and_ordinals_start_items(text: str) -> None:
    assert starts_item(text)


@pytest.mark.parametrize("text", ["3.5 mm", "2024 was", "-5 degrees", "a word", "第一次", "I think", ""])
def test_numbers_and_words_start_none(text: str) -> None:
    assert not starts_item(text)


@pytest.mark.parametrize(
    ("text", "ends"), [("好。", True), ("好。”", True), ("Yes.", True), ("and", False), ("", False)]
)
def test_sentences_end_with_their_mark_and_what_closes_after_it(text: str, ends: bool) -> None:
    assert ends_sentence(text) is ends


def test_a_chinese_character_is_two_wide() -> None:
    assert width_units("合同A1") == 6
