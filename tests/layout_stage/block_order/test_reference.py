"""The order of generated pages, against a person's and against that of paddlex 3.7.2."""

import json

import pytest

from layout_stage.block_order.page_order import block_order
from layout_stage.block_order.roles import MARGINS, role_of
from tests.layout_stage.block_order.generated_pages import generated_pages
from tests.layout_stage.block_order.paddlex_fixture import FIXTURE, digest
from tests.layout_stage.block_order.typesetter import GeneratedPage

_PAGES = {page.name: page for page in generated_pages()}
_REFERENCE = json.loads(FIXTURE.read_text())

DIFFERENCES = {
    "numbered_formulas-0": "paddlex reads all formulas' numbers last; here each follows its formula",
    "heading_across-1": "paddlex reads a heading across, off the middle, amid the columns above it",
    "newspaper-0": "paddlex reads a picture over columns 2 and 3 before column 1",
    "newspaper-1": "paddlex reads a picture over columns 2 and 3 before column 1",
    "table_over_two_of_three-1": "paddlex reads a table below two columns amid these",
    "picture_amid_columns-0": "paddlex reads a picture across two columns amid the first",
    "picture_amid_columns-1": "paddlex reads a picture across two columns after the first",
    "areas_with_notes-0": "paddlex reads notes in the margin first, once there are areas; here always last",
    "areas_with_notes-1": "paddlex reads notes in the margin first, once there are areas; here always last",
}
"""Where paddlex is not followed, and why; decision 18 shows each kind."""


@pytest.mark.parametrize("page", _PAGES.values(), ids=_PAGES)
def test_a_page_is_read_as_it_was_written(page: GeneratedPage) -> None:
    def flow(order: tuple[int, ...]) -> list[int]:
        return [i for i in order if role_of(page.parts[i].kind) not in MARGINS]

    assert flow(block_order(page.parts, page.areas)) == flow(page.written)


@pytest.mark.parametrize(
    "page", [p for p in _PAGES.values() if p.name not in DIFFERENCES], ids=lambda p: p.name
)
def test_the_order_is_that_of_paddlex(page: GeneratedPage) -> None:
    assert list(block_order(page.parts, page.areas)) == _REFERENCE[page.name]["order"]


@pytest.mark.parametrize("name", DIFFERENCES)
def test_no_difference_is_listed_that_is_none(name: str) -> None:
    page = _PAGES[name]
    assert list(block_order(page.parts, page.areas)) != _REFERENCE[name]["order"]


def test_the_pages_are_those_that_paddlex_ordered() -> None:
    assert {name: digest(page) for name, page in _PAGES.items()} == {
        name: entry["page"] for name, entry in _REFERENCE.items()
    }
