"""What tests ask of a table in HTML."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass


@dataclass(frozen=True)
class TableCell:
    """A cell's place, size and text, its lines parted by `\\n`."""

    row: int
    column: int
    rows: int
    columns: int
    text: str
    is_header: bool = False


def cells_of(html: str, may_overlap: bool = False) -> list[TableCell]:
    """The cells of one table, placed as HTML places them.

    Fails where it is not well-formed, has other tags or attributes, or cells that overlap and may not.
    """
    table = ET.fromstring(html.replace("<br>", "<br/>"))
    assert table.tag == "table"
    assert not table.attrib
    cells: list[TableCell] = []
    taken: set[tuple[int, int]] = set()
    for row, line in enumerate(table):
        assert line.tag == "tr"
        assert not line.attrib
        assert line.text is None
        column = 0
        for element in line:
            while (row, column) in taken:
                column += 1
            cell = _cell(element, row, column)
            places = {(row + r, column + c) for r in range(cell.rows) for c in range(cell.columns)}
            assert may_overlap or not places & taken, "cells overlap"
            taken |= places
            cells.append(cell)
            assert element.tail is None
    return cells


def is_rectangular(cells: list[TableCell]) -> bool:
    """Whether the cells fill a rectangle of rows and columns."""
    height = max(cell.row + cell.rows for cell in cells)
    width = max(cell.column + cell.columns for cell in cells)
    return sum(cell.rows * cell.columns for cell in cells) == height * width


def texts_of(html: str) -> list[str]:
    return [cell.text for cell in cells_of(html)]


def _cell(element: ET.Element, row: int, column: int) -> TableCell:
    assert element.tag in ("td", "th")
    assert set(element.keys()) <= {"rowspan", "colspan"}
    parts = [element.text or ""]
    for child in element:
        assert child.tag == "br"
        assert not child.attrib
        parts += ["\n", child.tail or ""]
    rows, columns = int(element.get("rowspan", "1")), int(element.get("colspan", "1"))
    return TableCell(row, column, rows, columns, "".join(parts), element.tag == "th")
