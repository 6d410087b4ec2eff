import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.types import Block, RegionKind
from orchestrator.flow import place_blocks
from orchestrator.headings import heading_levels
from orchestrator.numbering import numbering_of
from tests.orchestrator.builders import column, page, title


def levels_of(*titles: Block) -> list[int]:
    flow = place_blocks(page(1, *column(*titles)), keep_margins=False)
    return list(heading_levels(flow).values())


def doc_title(text: str) -> Block:
    return title(text, 40, RegionKind.DOC_TITLE)


def test_decimal_numbers_nest() -> None:
    texts = ["1 Introduction", "1.1 Aim", "1.1.1 Scope", "1.2 Method", "2 Results", "2.1.1 Odd", "3. End"]
    assert levels_of(*map(title, texts)) == [2, 3, 4, 3, 2, 3, 2]


def test_chinese_numbers_nest() -> None:
    texts = ["第一章 总则", "第一节 目的", "第一条 定义", "第二节 范围", "第二章 附则", "第十条 生效"]
    assert levels_of(doc_title("采购合同"), *map(title, texts)) == [1, 2, 3, 4, 3, 2, 3]


def test_chinese_counters_nest() -> None:
    texts = ["一、基本情况", "（一）背景", "1. 现状", "（1）问题", "（二）目标", "二、措施"]
    assert levels_of(*map(title, texts)) == [2, 3, 4, 5, 3, 2]


def test_roman_numbers_and_letters_nest() -> None:
    texts = ["I. INTRODUCTION", "A. Aim", "B. Scope", "C. Terms", "II. METHOD", "A. Data"]
    assert levels_of(*map(title, texts)) == [2, 3, 3, 3, 2, 3]


def test_articles_and_their_sections_nest() -> None:
    texts = ["Article 1 Definitions", "1.1 Terms", "Article 2 Price", "2.1 Payment"]
    assert levels_of(*map(title, texts)) == [2, 3, 2, 3]


def test_a_title_without_number_is_as_deep_as_the_numbered_ones_of_its_height() -> None:
    titles = [
        title("Abstract", 30),
        title("1 Aim", 30),
        title("1.1 Data", 20),
        title("Notes", 20),
        title("References", 30),
    ]
    assert levels_of(*titles) == [2, 2, 3, 3, 2]


def test_a_title_that_a_scan_made_a_little_lower_is_still_of_its_height() -> None:
    numbered = [title("一、总则", 30), title("1.1 范围", 20)]
    assert levels_of(*numbered, title("附则", 27), title("附注", 18)) == [2, 3, 2, 3]


def test_without_any_number_the_height_decides() -> None:
    titles = [
        title("Overview", 40),
        title("History", 30),
        title("Today", 29),
        title("Detail", 20),
        title("Future", 41),
    ]
    assert levels_of(*titles) == [2, 3, 3, 4, 2]


def test_a_document_title_that_is_a_chapter_is_a_chapter() -> None:
    assert levels_of(doc_title("第一章 总则"), title("第一节 目的")) == [2, 3]


def test_titles_of_pages_of_other_sizes_are_compared_by_their_share_of_the_page() -> None:
    small, large = page(1, *column(title("One", 20))), page(2, *column(title("Two", 40)))
    large = type(large)(2, small.width * 2, small.height * 2, 0, large.blocks)
    flow = [*place_blocks(small, keep_margins=False), *place_blocks(large, keep_margins=False)]
    assert list(heading_levels(flow).values()) == [2, 2]


numbers = st.sampled_from(
    [
        "1 ",
        "1.1 ",
        "1.1.1 ",
        "2 ",
        "第一章",
        "第二节",
        "第三条",
        "一、",
        "（一）",
        "(1) ",
        "I. ",
        "A. ",
        "a) ",
        "Article 1 ",
        "",
    ]
)


@given(st.lists(st.tuples(numbers, st.floats(10, 60), st.booleans()), max_size=12))
def test_levels_begin_at_two_at_most_and_never_jump(parts: list[tuple[str, float, bool]]) -> None:
    kinds = {True: RegionKind.DOC_TITLE, False: RegionKind.PARAGRAPH_TITLE}
    levels = levels_of(*(title(f"{number}标题", height, kinds[is_doc]) for number, height, is_doc in parts))
    assert len(levels) == len(parts)
    assert all(1 <= level <= 6 for level in levels)
    assert all(after <= before + 1 for before, after in zip([1, *levels], levels, strict=False))


@pytest.mark.parametrize(
    "text",
    [
        "Introduction",
        "2024 Report",
        "3",
        "5 元",
        "2024年度报告",
        "3D models",
        "I think",
        "A study",
        "Appendix to this",
        "1.5%",
    ],
)
def test_what_is_no_number_of_a_title_is_none(text: str) -> None:
    assert numbering_of(text) is None


@pytest.mark.parametrize("text", ["第一条", "Chapter One", "附件一 清单", "A.1 Proofs", "１．概述"])
def test_less_common_numbers_are_known(text: str) -> None:
    assert numbering_of(text) is not None
