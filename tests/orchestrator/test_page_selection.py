import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcscribe.errors import InvalidOption
from orchestrator.pages.selection import select_pages


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("", (1, 2, 3, 4, 5)),
        (" ", (1, 2, 3, 4, 5)),
        ("3", (3,)),
        ("1-3,5", (1, 2, 3, 5)),
        ("4-", (4, 5)),
        ("-2", (1, 2)),
        ("5,1,5,1-2", (1, 2, 5)),
        (" 2 - 3 , 5 ", (2, 3, 5)),
    ],
)
def test_a_specification_names_pages(spec: str, expected: tuple[int, ...]) -> None:
    assert select_pages(spec, 5) == expected


@pytest.mark.parametrize(
    "spec", ["0", "6", "1-6", "6-", "3-1", "a", "1-2-3", "-", ",", "1,,2", "1.5", "-0", "٣", "9" * 40, "1 2"]
)
def test_what_names_no_page_is_an_invalid_option(spec: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        select_pages(spec, 5)
    assert caught.value.details == {"field": "pages"}


def test_a_long_list_of_overlapping_ranges_takes_no_time() -> None:
    started = time.process_time()
    assert len(select_pages(",".join(["1-"] * 30_000), 5000)) == 5000
    assert time.process_time() - started < 2


def test_a_list_without_end_is_refused() -> None:
    with pytest.raises(InvalidOption, match="100000 characters"):
        select_pages("1-," * 40_000 + "1", 5000)


@given(st.sets(st.integers(1, 200), min_size=1))
def test_any_set_of_pages_can_be_written_and_comes_back(pages: set[int]) -> None:
    assert select_pages(",".join(map(str, pages)), 200) == tuple(sorted(pages))


@given(st.text(alphabet="0123456789-, x"), st.integers(1, 30))
def test_any_text_is_pages_of_the_document_or_an_error(spec: str, page_count: int) -> None:
    try:
        pages = select_pages(spec, page_count)
    except InvalidOption:
        return
    assert pages
    assert list(pages) == sorted(set(pages))
    assert pages[0] >= 1
    assert pages[-1] <= page_count
