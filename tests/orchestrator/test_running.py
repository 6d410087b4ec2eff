from collections.abc import Sequence

from arcscribe.document import ParsedPage
from arcscribe.types import Block, Box, RegionKind
from orchestrator.running import mark_running
from tests.orchestrator.builders import block, page

TOP = Box(100, 40, 900, 60)
BOTTOM = Box(480, 1350, 520, 1370)
BODY = Box(100, 200, 900, 400)


def kinds(pages: Sequence[ParsedPage]) -> list[list[RegionKind]]:
    return [[item.region.kind for item in found.blocks] for found in mark_running(pages)]


def with_edges(number: int, top: str, bottom: str, kind: RegionKind = RegionKind.TEXT) -> ParsedPage:
    return page(
        number,
        block(top, kind, TOP),
        block(f"Body {number}", box=BODY, region_id=2),
        block(bottom, box=BOTTOM, region_id=3),
    )


def test_lines_that_repeat_at_the_edges_are_headers_footers_and_numbers() -> None:
    pages = [
        with_edges(n, "Supply Contract No. 7", f"- {n} -", RegionKind.PARAGRAPH_TITLE) for n in range(1, 5)
    ]
    assert kinds(pages) == [[RegionKind.HEADER, RegionKind.TEXT, RegionKind.NUMBER]] * 4


def test_what_was_misread_on_one_page_is_a_header_too() -> None:
    tops = ["Supply Contract", "Supply Contract", "Supp1y Contract", "Supply Contract"]
    pages = [with_edges(n, top, f"Secret {n}") for n, top in enumerate(tops, start=1)]
    assert kinds(pages) == [[RegionKind.HEADER, RegionKind.TEXT, RegionKind.FOOTER]] * 4


def test_headers_of_left_and_right_pages_differ() -> None:
    pages = [with_edges(n, "The Author" if n % 2 else "The Title", f"{n}") for n in range(1, 8)]
    assert {found[0] for found in kinds(pages)} == {RegionKind.HEADER}


def test_what_repeats_on_two_pages_only_stays() -> None:
    assert kinds([with_edges(n, "Same", f"{n}") for n in (1, 2)]) == [[RegionKind.TEXT] * 3] * 2


def test_what_repeats_in_the_middle_of_pages_stays() -> None:
    pages = [page(n, block("Sign here", box=BODY)) for n in range(1, 6)]
    assert kinds(pages) == [[RegionKind.TEXT]] * 5


def test_numbered_titles_at_the_top_of_pages_stay_titles() -> None:
    pages = [with_edges(n, f"Article {n}", "x" * n, RegionKind.PARAGRAPH_TITLE) for n in range(1, 6)]
    assert {found[0] for found in kinds(pages)} == {RegionKind.PARAGRAPH_TITLE}


def test_the_title_that_headers_repeat_stays_a_title() -> None:
    def top(number: int) -> Block:
        return block("Supply Contract", RegionKind.DOC_TITLE if number == 1 else RegionKind.TEXT, TOP)

    assert (
        kinds([page(n, top(n)) for n in range(1, 5)]) == [[RegionKind.DOC_TITLE]] + [[RegionKind.HEADER]] * 3
    )


def test_a_large_title_among_small_headers_stays() -> None:
    large = page(1, block("Supply Contract", box=Box(100, 30, 900, 70)))
    small = [page(n, block("Supply Contract", box=TOP)) for n in range(2, 6)]
    assert kinds([large, *small]) == [[RegionKind.TEXT]] + [[RegionKind.HEADER]] * 4


def test_pages_without_blocks_are_no_trouble() -> None:
    assert kinds([page(n) for n in range(1, 4)]) == [[], [], []]
    assert mark_running([]) == ()
