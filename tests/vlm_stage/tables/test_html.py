import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from vlm_stage.tables.html import to_html
from vlm_stage.tables.structure import Cell, Structure, tiled


def _grid(rows: int, columns: int, spans: list[Cell]) -> Structure:
    return Structure(tuple(range(rows + 1)), tuple(range(columns + 1)), tiled(rows, columns, spans))


_SPANS = st.builds(Cell, st.integers(0, 5), st.integers(0, 5), st.integers(1, 4), st.integers(1, 4))


@given(st.integers(1, 6), st.integers(1, 6), st.lists(_SPANS, max_size=6), st.text("<>&\"'\n汉a", max_size=6))
def test_html_is_well_formed_and_rectangular(rows: int, columns: int, spans: list[Cell], text: str) -> None:
    structure = _grid(rows, columns, spans)
    table = ET.fromstring(to_html(structure, dict.fromkeys(structure.cells, text)).replace("<br>", "<br/>"))
    grid: set[tuple[int, int]] = set()
    for row, element in enumerate(table):
        column = 0
        for cell in element:
            while (row, column) in grid:
                column += 1
            spanned = int(cell.get("rowspan", "1")), int(cell.get("colspan", "1"))
            new = {(row + r, column + c) for r in range(spanned[0]) for c in range(spanned[1])}
            assert not new & grid
            grid |= new
            assert "".join(cell.itertext()) == text.replace("\n", "")
    assert grid == {(row, column) for row in range(rows) for column in range(columns)}


def test_text_is_escaped_and_lines_are_kept() -> None:
    structure = _grid(1, 2, [])
    html = to_html(structure, {Cell(0, 0): "a < b & c\nd"})
    assert html == "<table><tr><td>a &lt; b &amp; c<br>d</td><td></td></tr></table>"


def test_a_row_that_spans_from_above_take_whole_is_still_a_row() -> None:
    assert (
        to_html(_grid(2, 1, [Cell(0, 0, 2, 1)]), {})
        == '<table><tr><td rowspan="2"></td></tr><tr></tr></table>'
    )
